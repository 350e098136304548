//! The callback of a block, all of which is fit for a thread of real time.
//!
//! No function of [`Callback`] allocates, frees, locks, or asks the system for something. A channel
//! that is over is not dropped, which would unmap memory, but given back.

use std::f32::consts::TAU;
use std::hint::black_box;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use rtrb::{Consumer, Producer, PushError, RingBuffer};

use crate::audio::{Meters, Parameters};
use crate::{Link, FRAMES, RATE};

/// The pitch that the host plays.
const HERTZ: f32 = 440.0;
/// How many meters a callback takes at most: a plug-in that sends without end must not keep it.
const AT_ONCE: usize = 8;
/// The gains of so many blocks are remembered, to see whether meters belong to them.
const REMEMBERED: usize = 4096;
/// How many channels may wait to be taken, or to be dropped.
const LINKS: usize = 4;

/// The knobs that a user turns while audio plays.
#[derive(Debug)]
pub struct Knobs {
    gain: AtomicU32,
    cutoff: AtomicU32,
}

impl Knobs {
    /// Turns both. The callback may see one before the other.
    pub fn turn(&self, gain: f32, cutoff: f32) {
        self.gain.store(gain.to_bits(), Ordering::Relaxed);
        self.cutoff.store(cutoff.to_bits(), Ordering::Relaxed);
    }

    fn read(&self) -> (f32, f32) {
        let read = |knob: &AtomicU32| f32::from_bits(knob.load(Ordering::Relaxed));
        (read(&self.gain), read(&self.cutoff))
    }
}

/// The side of the thread that may wait.
#[derive(Debug)]
pub struct Desk {
    pub knobs: Arc<Knobs>,
    plugged: Producer<Option<Link>>,
    unplugged: Consumer<Option<Link>>,
}

impl Desk {
    /// Has the callback use a channel, once it has given the last one back. Returns whether there
    /// was room for it; where not it ends.
    #[must_use]
    pub fn plug(&mut self, link: Link) -> bool {
        self.plugged.push(Some(link)).is_ok()
    }

    /// A channel that the callback has given back, since it carries nothing more.
    pub fn unplugged(&mut self) -> Option<Link> {
        self.unplugged.pop().ok().flatten()
    }
}

/// Outcome of a callback.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen {
    /// How many meters came.
    pub meters: u32,
    /// How many of them had another gain than their block was sent.
    pub wrong: u32,
    /// How many blocks ago the newest meters' parameters were sent, if there ever were any of this
    /// plug-in.
    pub age: Option<u64>,
    /// The gain and the peak of the newest meters.
    pub gain: f32,
    pub peak: f32,
}

/// The state of the thread of real time.
pub struct Callback {
    knobs: Arc<Knobs>,
    plugged: Consumer<Option<Link>>,
    unplugged: Producer<Option<Link>>,
    link: Option<Link>,
    newest: Option<Meters>,
    gains: [f32; REMEMBERED],
    phase: f32,
    gain: f32,
    samples: [f32; FRAMES],
}

impl Callback {
    /// Both sides, without a plug-in.
    #[must_use]
    pub fn new() -> (Self, Desk) {
        let knobs = Arc::new(Knobs {
            gain: AtomicU32::new(0),
            cutoff: AtomicU32::new(0),
        });
        let (plugged, take) = ring(LINKS);
        let (give, unplugged) = ring(LINKS);
        let callback = Self {
            knobs: Arc::clone(&knobs),
            plugged: take,
            unplugged: give,
            link: None,
            newest: None,
            gains: [0.0; REMEMBERED],
            phase: 0.0,
            gain: 0.0,
            samples: [0.0; FRAMES],
        };
        let desk = Desk {
            knobs,
            plugged,
            unplugged,
        };
        (callback, desk)
    }

    /// Does all that is to be done for a block.
    pub fn run(&mut self, block: u64) -> Seen {
        if self.link.is_none() {
            if let Ok(link) = self.plugged.pop() {
                (self.link, self.newest) = (link, None);
            }
        }
        let mut seen = self.listen(block);
        if let Some(meters) = &self.newest {
            seen.age = Some(block.saturating_sub(meters.block));
            (seen.gain, seen.peak) = (meters.gain, meters.peak);
        }
        let (gain, cutoff) = self.knobs.read();
        self.play(gain);
        self.tell(&Parameters {
            block,
            gain,
            cutoff,
        });
        seen
    }

    /// Takes the meters that have come.
    fn listen(&mut self, block: u64) -> Seen {
        let mut seen = Seen::default();
        for _ in 0..AT_ONCE {
            let Some(link) = &mut self.link else {
                break;
            };
            match link.receiver.receive() {
                Ok(Some(meters)) => {
                    seen.meters += 1;
                    seen.wrong += u32::from(!self.is_right(&meters, block));
                    self.newest = Some(meters);
                }
                Ok(None) => break,
                Err(_) => self.unplug(),
            }
        }
        seen
    }

    /// Whether meters have the gain that was sent with their block, as far as that is remembered.
    fn is_right(&self, meters: &Meters, block: u64) -> bool {
        match block.checked_sub(meters.block) {
            None => false,
            Some(age) if age >= REMEMBERED as u64 => true,
            Some(_) => self.gains[remembered(meters.block)].to_bits() == meters.gain.to_bits(),
        }
    }

    /// Plays a tone through a gain, which reaches the new one at the end of the block.
    fn play(&mut self, gain: f32) {
        #[expect(clippy::cast_precision_loss, reason = "both are small")]
        let (step, frames) = (HERTZ / RATE as f32, FRAMES as f32);
        let ramp = (gain - self.gain) / frames;
        for sample in &mut self.samples {
            self.gain += ramp;
            *sample = self.gain * (TAU * self.phase).sin();
            self.phase = (self.phase + step).fract();
        }
        self.gain = gain;
        // A sound card would take them from here.
        black_box(&self.samples);
    }

    /// Sends the parameters of a block.
    fn tell(&mut self, parameters: &Parameters) {
        self.gains[remembered(parameters.block)] = parameters.gain;
        let Some(link) = &mut self.link else {
            return;
        };
        // The latest are never too many: only a channel that is over takes none.
        if link.sender.send(parameters).is_err() {
            self.unplug();
        }
    }

    /// Gives the channel back.
    fn unplug(&mut self) {
        self.newest = None;
        if let Some(link) = self.link.take() {
            if let Err(PushError::Full(link)) = self.unplugged.push(Some(link)) {
                self.link = link; // until there is room
            }
        }
    }
}

fn remembered(block: u64) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "the rest is small")]
    let at = (block % REMEMBERED as u64) as usize;
    at
}

/// A queue between two threads, each page of which was touched.
pub(crate) fn ring<T: Default>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    let (mut producer, mut consumer) = RingBuffer::new(capacity);
    while producer.push(T::default()).is_ok() {}
    while consumer.pop().is_ok() {}
    (producer, consumer)
}
