//! The `tetrascope` program.

use clap::Parser;
use std::process::ExitCode;
use tetrascope::{app, cli::Cli};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("tetrascope: no runtime: {error}");
            return ExitCode::from(3);
        }
    };
    runtime.block_on(app::run(cli))
}
