//! Servers and clients, over sockets.

mod blocking;
mod demo;
mod hostile;
mod raw;
mod requests;
mod streams;
