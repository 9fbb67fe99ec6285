//! The `tetrascope` program.

use std::process::ExitCode;
use tetrascope::app;

fn main() -> ExitCode {
    let (cli, config) = match app::arguments(std::env::args_os().collect()) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
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
    runtime.block_on(app::run(cli, config))
}
