//! The code that `generate.sh` makes.
#![allow(
    dead_code,
    clippy::all,
    clippy::pedantic,
    reason = "it is not written by hand"
)]

#[rustfmt::skip]
#[path = "../gen/frames.rs"]
pub mod frames;
#[rustfmt::skip]
#[path = "../gen/frames_service.rs"]
pub mod frames_service;
