//! The `tetrascope` program.

fn main() {}
