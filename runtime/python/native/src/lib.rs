//! The native engine of Python's runtime: it reads bytes into objects of generated classes, and writes them.
//!
//! The runtime in Python hands over the types of a package once, as tuples ([`program`]). The engine takes every value whose parts
//! have the plain types of Python, and every sound byte. Whatever else there is, it refuses without a reason: the runtime
//! names the reason, so that there is one place for each refusal, and a value of other types is written by Python code.

mod cache;
mod columns;
mod cursor;
mod program;
mod python;
mod reader;
mod skip;
mod writer;
