//! The benchmarks with the system's allocator.

use std::alloc::System;
use std::process::ExitCode;

use sdpbench::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting<System> = Counting(System);

fn main() -> ExitCode {
    sdpbench::command::main("glibc")
}
