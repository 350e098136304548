//! The operations in Rust, for the machine that runs them: see `operations.h`.
#![cfg_attr(realtime_sanitizer, feature(sanitize))]

mod audio;
mod audio_service;
mod channels;
mod faults;
mod path;
mod state;
