//! The plug-in: a process that plays by the parameters of its host, and ends with it.

use std::thread;
use std::time::Duration;

use mxp::net::channel::{Channel, SendError};

use crate::audio::{Meters, Parameters};
use crate::audio_service::{HostClient, Wire};
use crate::period::Periods;
use crate::{channel_options, system, Error, FRAMES, RATE};

/// Below the host, which has the deadlines that are heard.
const PRIORITY: i32 = 69;
/// The pitch that is played: a block has all of a wave.
const HERTZ: f32 = 880.0;
/// The time between two questions to the socket whether the host is still there.
const LOOK: Duration = Duration::from_millis(20);

/// The plug-in's side of the channel.
type Link = Channel<Meters, Parameters, Wire>;

/// Plays for a host until that ends.
///
/// # Errors
///
/// Why the channel could not be opened.
pub fn run(address: &str) -> Result<(), Error> {
    let link = HostClient::PLUG.open_channel(address, &channel_options())?;
    let watcher = link.watcher();
    let playing = thread::spawn(move || play(link));
    // A host that ends says so in memory; one that was killed does not, and the thread that plays
    // may not ask the system. From here it learns it.
    while watcher.is_connected() && !playing.is_finished() {
        thread::sleep(LOOK);
    }
    playing
        .join()
        .map_err(|_| "the thread that plays panicked")?;
    Ok(())
}

/// Plays a block each period, by the newest parameters.
fn play(mut link: Link) {
    let granted = system::real_time(PRIORITY);
    if granted.scheduling.starts_with("no") {
        eprintln!("plug-in: {}", granted.scheduling);
    }
    let mut voice = Voice::default();
    let mut newest = None;
    let periods = Periods::begin();
    for period in 0.. {
        periods.wait(period);
        match link.receiver.receive() {
            Ok(Some(parameters)) => newest = Some(parameters),
            Ok(None) => {}
            Err(_) => return,
        }
        let Some(parameters) = &newest else {
            continue;
        };
        let meters = Meters {
            block: parameters.block,
            gain: parameters.gain,
            peak: voice.play(parameters),
        };
        match link.sender.send(&meters) {
            // A host that is behind has meters enough.
            Ok(()) | Err(SendError::Full) => {}
            Err(SendError::Closed(_)) => return,
        }
    }
}

/// A sawtooth through a low-pass filter.
#[derive(Default)]
struct Voice {
    phase: f32,
    filtered: f32,
}

impl Voice {
    /// Plays a block, and returns its peak.
    fn play(&mut self, parameters: &Parameters) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "it is small")]
        let rate = RATE as f32;
        let cutoff = parameters.cutoff.max(20.0).min(rate / 2.0); // NaN is 20
        let share = 1.0 - (-std::f32::consts::TAU * cutoff / rate).exp();
        let mut peak = 0.0_f32;
        for _ in 0..FRAMES {
            let sawtooth = 2.0 * self.phase - 1.0;
            self.filtered += share * (sawtooth - self.filtered);
            self.phase = (self.phase + HERTZ / rate).fract();
            peak = peak.max((parameters.gain * self.filtered).abs());
        }
        peak
    }
}
