//! Encoding and decoding types of fixed size: one check, and no budgets.

#![allow(
    clippy::missing_errors_doc,
    reason = "generated code is the only caller, and says what users may get"
)]
#![allow(
    clippy::unnecessary_wraps,
    reason = "functions that users call are the same for types of any size"
)]

use alloc::vec::Vec;

use crate::codec::{behind, message_to_slice, named, Encode, Identified, Value};
use crate::decoder::Decoder;
use crate::walk::Mode;
use crate::{header, memory, DecodeOptions, Error, Fixed, Kind, HEADER_BYTES};

/// Appends the encoding of a value.
#[inline]
pub fn append_fixed<T: Fixed>(value: &T, output: &mut Vec<u8>) -> Result<(), Error> {
    output.extend_from_slice(memory::slice(&value.sdp_bytes()));
    Ok(())
}

/// Returns the encoding of a value in memory of its own.
#[inline]
pub fn fixed_to_vec<T: Fixed>(value: &T) -> Result<Vec<u8>, Error> {
    Ok(memory::slice(&value.sdp_bytes()).to_vec())
}

/// Encodes a value into the front of a slice and returns how many bytes it has.
#[inline]
pub fn fixed_to_slice<T: Fixed>(value: &T, output: &mut [u8]) -> Result<usize, Error> {
    let Some(front) = output.get_mut(..T::SIZE) else {
        return Err(Error::new(Kind::BufferTooSmall));
    };
    front.copy_from_slice(memory::slice(&value.sdp_bytes()));
    Ok(T::SIZE)
}

/// Encodes a value in message mode into the front of a slice.
#[inline]
pub fn fixed_message_to_slice<T: Fixed + Encode + Identified>(
    value: &T,
    output: &mut [u8],
) -> Result<usize, Error> {
    let (Some((header, rest)), Ok(length)) = (
        output.split_first_chunk_mut::<HEADER_BYTES>(),
        u32::try_from(T::SIZE),
    ) else {
        return message_to_slice(value, output);
    };
    *header = header::of(T::TYPE_ID, length);
    Ok(HEADER_BYTES + fixed_to_slice(value, rest)?)
}

/// Decodes input that is one value.
#[inline(always)]
pub fn decode_fixed<T: Fixed + Value>(input: &[u8], options: &DecodeOptions) -> Result<T, Error> {
    whole(input, 0, options)
}

/// Decodes input that is one value in place of one that is there.
#[inline]
pub fn decode_fixed_into<T: Fixed + Value>(
    value: &mut T,
    input: &[u8],
    options: &DecodeOptions,
) -> Result<(), Error> {
    *value = decode_fixed(input, options)?;
    Ok(())
}

/// Decodes input that is one message.
#[inline]
pub fn decode_fixed_message<T: Fixed + Value + Identified>(
    input: &[u8],
    options: &DecodeOptions,
) -> Result<T, Error> {
    let payload = header::payload(input, T::TYPE_ID, options.limits.message_bytes)?;
    let value = whole(payload, HEADER_BYTES, options)?;
    behind(input, payload)?;
    Ok(value)
}

/// Decodes a value that lies behind as many bytes as `base` says.
#[inline(always)]
fn whole<T: Fixed + Value>(input: &[u8], base: usize, options: &DecodeOptions) -> Result<T, Error> {
    let limits = &options.limits;
    if input.len() == T::SIZE
        && T::SIZE <= limits.message_bytes
        && T::LEVELS <= limits.depth
        && T::ELEMENTS <= limits.elements
        && T::sdp_valid(input)
    {
        return Ok(T::sdp_from(input));
    }
    Err(refusal::<T>(input, base, options))
}

/// Names the refusal of input.
#[cold]
#[inline(never)]
fn refusal<T: Value>(input: &[u8], base: usize, options: &DecodeOptions) -> Error {
    let d = Decoder::new(input.len(), 0, options);
    *named::<T>(input, base, Mode::Whole, options, &d)
}
