//! Streams of messages, and values, from and to sources and sinks of all manners.
#![cfg(feature = "std")]

mod package;
mod reader;
mod sources;
mod values;
mod writer;
