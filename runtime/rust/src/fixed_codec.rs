//! Encoding and decoding types of fixed size: one check, and no budgets.

#![allow(
    clippy::missing_errors_doc,
    reason = "generated code is the only caller, and says what users may get"
)]

use alloc::vec::Vec;

use crate::codec::{named, Value};
use crate::decoder::Decoder;
use crate::walk::Mode;
use crate::{memory, DecodeOptions, Error, Fixed, Kind};

/// Appends the encoding of a value.
#[inline]
pub fn append_fixed<T: Fixed>(value: &T, out: &mut Vec<u8>) {
    out.extend_from_slice(memory::slice(&value.sdp_bytes()));
}

/// Returns the encoding of a value in memory of its own.
#[inline]
pub fn fixed_to_vec<T: Fixed>(value: &T) -> Vec<u8> {
    memory::slice(&value.sdp_bytes()).to_vec()
}

/// Encodes a value into the front of a slice and returns how many bytes it has.
#[inline]
pub fn fixed_to_slice<T: Fixed>(value: &T, out: &mut [u8]) -> Result<usize, Error> {
    let Some(front) = out.get_mut(..T::SIZE) else {
        return Err(Error::new(Kind::BufferTooSmall));
    };
    front.copy_from_slice(memory::slice(&value.sdp_bytes()));
    Ok(T::SIZE)
}

/// Decodes input that is one value.
#[inline]
pub fn decode_fixed<T: Fixed + Value>(input: &[u8], options: &DecodeOptions) -> Result<T, Error> {
    let limits = &options.limits;
    if input.len() == T::SIZE
        && T::SIZE <= limits.message_bytes
        && T::LEVELS <= limits.depth
        && T::ELEMENTS <= limits.elements
        && T::sdp_valid(input)
    {
        return Ok(T::sdp_from(input));
    }
    let d = Decoder::new(input.len(), 0, options);
    Err(*named::<T>(input, 0, Mode::Whole, options, &d))
}
