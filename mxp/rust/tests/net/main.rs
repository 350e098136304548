//! Servers and clients, over sockets.

mod blocking;
mod demo;
mod hostile;
mod idle;
mod raw;
mod requests;
mod streams;
