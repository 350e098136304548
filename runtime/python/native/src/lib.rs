//! The native engine of Python's runtime: it reads bytes into objects of generated classes, and writes them.
//!
//! The runtime in Python hands over the types of a package once, as tuples ([`program`]). The engine takes every value whose parts
//! have the plain types of Python, and all sound bytes. It refuses others without a reason. The runtime names the reason, so that
//! each refusal has one place, and Python code writes values of other types.

mod cache;
mod columns;
mod cursor;
mod program;
mod python;
mod reader;
mod rows;
mod skip;
mod writer;
