//! The benchmarks with mimalloc.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use sdpbench::allocations::Counting;

#[global_allocator]
static ALLOCATOR: Counting<MiMalloc> = Counting(MiMalloc);

fn main() -> ExitCode {
    sdpbench::command::main("mimalloc")
}
