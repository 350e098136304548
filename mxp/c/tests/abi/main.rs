//! Programs in C on the library: the header, the example, misuse, and the behaviour of requests.

mod header;
mod programs;
mod support;
