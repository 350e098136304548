//! Reading bytes that are known to be valid. Where they aren't, which happens in no
//! view, what is read is empty.

use super::Shape;
use crate::codec::Decode;
use crate::decoder::Decoder;
use crate::{memory, DecodeOptions, Fixed, Limits};

/// Takes a run of `N` bytes.
#[inline(always)]
#[must_use]
pub fn known_run<'a, const N: usize>(s: &mut &'a [u8]) -> &'a [u8; N] {
    let (run, rest) = s.split_first_chunk().unwrap_or((const { &[0; N] }, &[]));
    *s = rest;
    run
}

/// Takes `n` bytes.
#[inline(always)]
pub(super) fn known<'a>(s: &mut &'a [u8], n: usize) -> &'a [u8] {
    let (front, rest) = s.split_at_checked(n).unwrap_or((&[], &[]));
    *s = rest;
    front
}

/// Takes a value of fixed size.
#[inline(always)]
pub fn known_value<T: Fixed>(s: &mut &[u8]) -> T {
    T::sdp_from(known(s, T::SIZE))
}

/// Takes a length or count of `WIDTH` bytes.
#[inline(always)]
pub(super) fn known_count<const WIDTH: usize>(s: &mut &[u8]) -> usize {
    match WIDTH {
        1 => usize::from(known_value::<u8>(s)),
        2 => usize::from(known_value::<u16>(s)),
        _ => usize::try_from(known_value::<u32>(s)).unwrap_or(0),
    }
}

/// Takes a length of `WIDTH` bytes and as many bytes.
#[inline(always)]
#[must_use]
pub fn known_bytes<'a, const WIDTH: usize>(s: &mut &'a [u8]) -> &'a [u8] {
    let n = known_count::<WIDTH>(s);
    known(s, n)
}

/// Bytes as the string that they are.
#[inline(always)]
#[must_use]
pub fn known_text(bytes: &[u8]) -> &str {
    memory::text(bytes).unwrap_or("")
}

/// Reads the value at the front of bytes.
#[inline(always)]
#[must_use]
pub fn read<E: Shape>(mut s: &[u8]) -> E::Item<'_> {
    E::step(&mut s)
}

/// Takes the value at the front of bytes.
#[inline(always)]
pub fn next<'a, E: Shape>(s: &mut &'a [u8]) -> E::Item<'a> {
    let item = E::step(s);
    E::finish(s);
    item
}

/// Steps over the value at the front of bytes.
#[inline(always)]
pub fn skip<E: Shape>(s: &mut &[u8]) {
    E::skip(s);
}

/// The bytes of the value at the front of bytes.
#[must_use]
pub fn front<E: Shape>(bytes: &[u8]) -> &[u8] {
    let mut rest = bytes;
    E::skip(&mut rest);
    bytes.get(..bytes.len() - rest.len()).unwrap_or(bytes)
}

/// Decodes the value at the front of bytes that were validated, under any limits.
#[must_use]
pub fn known_owned<'a, T: Decode<'a> + Default>(mut bytes: &'a [u8]) -> T {
    const UNLIMITED: DecodeOptions = DecodeOptions::new().with_limits(
        Limits::new()
            .with_message_bytes(usize::MAX)
            .with_elements(usize::MAX)
            .with_depth(usize::MAX)
            .with_memory_bytes(usize::MAX),
    );
    let mut d = Decoder::new(bytes.len(), T::FACTOR, &UNLIMITED);
    T::sdp_decode(&mut d, &mut bytes, 1).unwrap_or_default()
}
