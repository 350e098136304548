//! The checksum: XXH3 of 64 bits with the seed 0 [MXP-1.6].

use core::hash::Hasher as _;

use twox_hash::xxhash3_64::{Hasher, RawHasher, SecretBuffer};

use crate::frame::HEADER_BYTES;

/// The hash of bytes that lie together.
#[inline]
pub(crate) fn of(bytes: &[u8]) -> u64 {
    Hasher::oneshot(bytes)
}

/// The hash of a header and the pieces of a payload of `n` bytes, as one input.
///
/// Measured: a short payload is hashed fastest when it is copied behind the header
/// first, a long one where it lies.
#[inline]
pub(crate) fn of_parts(header: &[u8; HEADER_BYTES], pieces: &[&[u8]], n: usize) -> u64 {
    match n {
        0 => of(header),
        1..=96 => gathered::<128>(header, pieces),
        97..=480 => gathered::<512>(header, pieces),
        481..=1024 => gathered::<1056>(header, pieces),
        _ => streamed(header, pieces),
    }
}

/// Copies all into `N` bytes, which must be enough, and hashes it there.
#[inline]
fn gathered<const N: usize>(header: &[u8; HEADER_BYTES], pieces: &[&[u8]]) -> u64 {
    let mut all = [0; N];
    all[..HEADER_BYTES].copy_from_slice(header);
    let mut end = HEADER_BYTES;
    for piece in pieces {
        all[end..][..piece.len()].copy_from_slice(piece);
        end += piece.len();
    }
    of(&all[..end])
}

#[inline(never)]
fn streamed(header: &[u8; HEADER_BYTES], pieces: &[&[u8]]) -> u64 {
    let mut hasher = RawHasher::new(SecretBuffer::default());
    hasher.write(header);
    for piece in pieces {
        hasher.write(piece);
    }
    hasher.finish()
}
