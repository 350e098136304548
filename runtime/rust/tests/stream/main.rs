//! Streams of messages, from and to sources and sinks of all manners.
#![cfg(feature = "std")]

mod package;
mod reader;
mod sources;
mod writer;
