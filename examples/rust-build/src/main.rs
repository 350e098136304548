//! A mixing desk that sends to a screen; both are this one program.

// Declares `mixer`, and `company_audio`, which it imports.
include!(concat!(env!("OUT_DIR"), "/sdp/mod.rs"));

use company_audio::Level;
use mixer::{Desk, LevelChanged, Message};

fn main() -> Result<(), sdp::Error> {
    let loud = Level {
        decibel: -3.5,
        muted: false,
    };
    let off = Level {
        decibel: 0.0,
        muted: true,
    };
    let desk = Desk::new()
        .with_name("Hall 2".to_owned())
        .with_channels([(1, loud.clone()), (2, off)].into());
    let changed = LevelChanged {
        channel: 2,
        level: loud,
    };
    let frames = [desk.message_to_vec()?, changed.message_to_vec()?];

    for frame in frames {
        match Message::decode(&frame)? {
            Message::Desk(desk) => {
                println!("{} has {} channels", desk.name, desk.channels.len());
            }
            Message::LevelChanged(changed) => {
                println!(
                    "channel {} is at {} dB now",
                    changed.channel, changed.level.decibel
                );
            }
        }
    }
    Ok(())
}
