//! Everything that operations read and write: it is made before they run.

use std::ffi::{c_char, c_void};

use crate::audio::{Block, Change, Frame, Parameter, Plugin, Transport};
use crate::channels::Channels;
use crate::{faults, path};

/// How full the memory may be that an operation finds.
pub const LEVELS: usize = 64;
/// The bytes of a slot.
pub const SLOT: usize = 8192;

/// Memory in slots, one for each fill level, which is touched when it is made.
pub struct Slots(Box<[[u8; SLOT]]>);

impl Slots {
    fn new() -> Self {
        Self(vec![[1; SLOT]; LEVELS].into())
    }

    pub fn at(&mut self, level: usize) -> &mut [u8] {
        self.0.get_mut(level).map_or(&mut [], |slot| slot)
    }
}

/// A message, as it lies in each slot.
pub struct Input {
    slots: Slots,
    size: usize,
}

impl Input {
    fn new(encoding: &[u8]) -> Self {
        let mut slots = Slots::new();
        for level in 0..LEVELS {
            slots.at(level)[..encoding.len()].copy_from_slice(encoding);
        }
        Self {
            slots,
            size: encoding.len(),
        }
    }

    pub fn at(&self, level: usize) -> &[u8] {
        let slot = self.slots.0.get(level);
        slot.and_then(|slot| slot.get(..self.size))
            .unwrap_or_default()
    }
}

/// The state of one thread.
pub struct State {
    pub transport: Transport,
    pub block: Block,
    pub plugin: Plugin,
    pub frame: Frame,
    pub channels: Channels,

    pub encoded_transport: Input,
    pub block_message: Input,
    pub encoded_plugin: Input,

    // Values that are there, with memory enough.
    pub kept_block: Block,
    pub kept_plugin: Plugin,

    pub written: Slots,
    pub options: sdp::DecodeOptions,
    pub level: usize,
    pub faults: faults::Supplies,
}

fn parameter(id: u32) -> Parameter {
    const NAMES: [&str; 4] = ["Gain", "Threshold", "Knee", "Sidechain high-pass frequency"];
    let at = id as usize;
    Parameter {
        id,
        name: NAMES[at % NAMES.len()].into(),
        range: [-60.0, 6.0],
        unit: (at % 3 > 0).then(|| "dB".into()),
    }
}

fn prepare(untouched: *mut u8, channels: Channels) -> Result<State, sdp::Error> {
    let transport = Transport {
        playing: true,
        sample: 48_000,
        tempo: 120.5,
        signature: [3, 4],
    };
    let block = Block::new()
        .with_sequence(7)
        .with_channel(1)
        .with_samples((0_u8..128).map(|i| f32::from(i) / 128.0).collect());
    let changes = (0_u8..16).map(|i| Change {
        parameter: u32::from(i % 4),
        frame: 8 * u32::from(i),
        value: f32::from(i),
    });
    let plugin = Plugin::new()
        .with_name("Compressor".into())
        .with_parameters((0..12).map(parameter).collect())
        .with_changes(changes.collect())
        .with_preset(Some(Box::new(parameter(3))));
    let encoded_plugin = plugin.encode_to_vec()?;
    let block_message = block.message_to_vec()?;
    Ok(State {
        encoded_transport: Input::new(&transport.encode_to_vec()?),
        block_message: Input::new(&block_message),
        encoded_plugin: Input::new(&encoded_plugin),
        kept_block: Block::decode_message(&block_message)?,
        kept_plugin: Plugin::decode(&encoded_plugin)?,
        transport,
        block,
        plugin,
        frame: Frame {
            samples: std::array::from_fn(|_| 0.25),
        },
        channels,
        written: Slots::new(),
        options: sdp::DecodeOptions::new(),
        level: 0,
        faults: faults::Supplies::new(untouched),
    })
}

/// An operation, as C has it.
#[repr(C)]
pub struct Operation {
    pub name: *const c_char,
    pub run: Option<extern "C" fn(*mut c_void) -> u64>,
}

// SAFETY: the names are constants.
unsafe impl Sync for Operation {}

/// The end of a list of operations.
pub const END: Operation = Operation {
    name: std::ptr::null(),
    run: None,
};

/// The state behind a pointer of C's.
///
/// # Safety
///
/// The pointer is one that `realtime_prepare` has made, and nobody else has the state.
#[inline(always)]
pub unsafe fn of<'a>(state: *mut c_void) -> &'a mut State {
    // SAFETY: the caller promises it.
    unsafe { &mut *state.cast() }
}

#[no_mangle]
extern "C" fn realtime_prepare(untouched: *mut u8) -> *mut c_void {
    let channels = Channels::new();
    match channels.map(|channels| prepare(untouched, channels)) {
        Some(Ok(state)) => Box::into_raw(Box::new(state)).cast(),
        _ => std::ptr::null_mut(),
    }
}

#[no_mangle]
extern "C" fn realtime_fill(state: *mut c_void, level: usize) {
    // SAFETY: the state is that of `realtime_prepare`, in one thread.
    let state = unsafe { of(state) };
    state.level = level;
    if state.channels.fill(level, &state.frame).is_none() {
        std::process::abort();
    }
}

#[no_mangle]
extern "C" fn realtime_operations() -> *const Operation {
    path::OPERATIONS.as_ptr()
}

#[no_mangle]
extern "C" fn realtime_faults() -> *const Operation {
    faults::FAULTS.as_ptr()
}
