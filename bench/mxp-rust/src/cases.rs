//! Cases that are measured.

use std::hint::black_box;

use mxp::frame::{decode, Checksum, DecodeOptions, Flags, Frame, Header, Type};
use twox_hash::xxhash3_64::Hasher;

use crate::measure::{self, Operation, Rounds};

/// Lengths of payloads.
pub const SIZES: [usize; 6] = [0, 64, 256, 1024, 4096, 16384];

/// The median nanoseconds of each.
pub struct Medians {
    /// Into a buffer that is large enough.
    pub encode_reused: f64,
    /// Header and trailer around a payload that isn't copied.
    pub encode_vectored: f64,
    pub decode: f64,
    /// The hash of the header and the payload where they lie together.
    pub hash: f64,
    /// A copy of the payload.
    pub memcpy: f64,
}

/// Measures frames of `n` bytes of payload.
///
/// # Errors
///
/// Names an operation that allocates.
pub fn medians(n: usize, rounds: &Rounds) -> Result<Medians, String> {
    let payload: Vec<u8> = (0..n).map(|i| (i * 7).to_le_bytes()[0]).collect();
    let header = Header {
        frame_type: Type::StreamChunk,
        flags: Flags::FINAL,
        message_id: 1,
        trace_id: 2,
    };
    let frame = Frame {
        header,
        payload: &payload,
    };
    let bytes = frame
        .encode_to_vec(Checksum::On)
        .map_err(|refusal| refusal.to_string())?;
    let options = DecodeOptions::new(Checksum::On);
    let mut reused = vec![0; bytes.len()];
    let mut copy = vec![0; n];
    let mut operations: [Operation<'_>; 5] = [
        repeat(|| {
            let done = black_box(&frame).encode_to_slice(&mut reused, Checksum::On);
            black_box((&reused, done.is_ok()));
        }),
        repeat(|| {
            let frame = black_box(&frame);
            black_box(&frame.header.seal(frame.payload, Checksum::On));
        }),
        repeat(|| {
            black_box(&decode(black_box(&bytes), &options));
        }),
        repeat(|| {
            black_box(Hasher::oneshot(black_box(&bytes[..n + 32])));
        }),
        repeat(|| {
            copy.copy_from_slice(black_box(&payload));
            black_box(&copy);
        }),
    ];
    let medians = measure::medians(&mut operations, rounds)?;
    Ok(Medians {
        encode_reused: medians[0],
        encode_vectored: medians[1],
        decode: medians[2],
        hash: medians[3],
        memcpy: medians[4],
    })
}

/// The loop is compiled for each operation, so that none of them pays for a call.
fn repeat<'a>(mut operation: impl FnMut() + 'a) -> Operation<'a> {
    Box::new(move |n| {
        for _ in 0..n {
            operation();
        }
    })
}
