//! A host of audio and its plug-in: two processes with a thread each that has a deadline every
//! 1.33 ms, and exchanges values with the other through a channel in shared memory.

#![deny(unsafe_code)]

// The modules `audio` and `audio_service`, which build.rs makes of the schema.
include!(concat!(env!("OUT_DIR"), "/sdp/mod.rs"));

pub mod callback;
pub mod host;
mod load;
mod period;
pub mod plugin;
pub mod rack;
mod report;
pub mod system;

use mxp::net::channel::{Channel, ChannelOptions, Delivery};

use crate::audio::{Meters, Parameters};
use crate::audio_service::Wire;

/// The frames of a block.
pub const FRAMES: usize = 64;
/// Frames of a second.
pub const RATE: u64 = 48_000;

/// A failure that ends a program.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A channel to a plug-in.
pub type Link = Channel<Parameters, Meters, Wire>;

/// How values travel, which both sides have to mean alike. No meters are to be lost, or a peak
/// would never be shown; of parameters the newest alone count.
fn channel_options() -> ChannelOptions {
    ChannelOptions::new()
        .requests(Delivery::Queue)
        .responses(Delivery::Latest)
}
