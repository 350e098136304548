//! The traits of generated types, and the functions over them.

#![allow(
    clippy::missing_errors_doc,
    reason = "generated code is the only caller, and says what users may get"
)]

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::decoder::Decoder;
use crate::header;
use crate::layout_cache::with_table;
use crate::layout_part::Declared;
use crate::walk::{explain_by, Mode};
use crate::writer::{EncodeResult, Writer};
use crate::{DecodeOptions, Error, Kind, HEADER_BYTES, LIMIT_DEPTH};

/// A form of a type of a schema.
pub trait Value {
    /// The type that this is a form of.
    type Declared: Declared;
    /// Decoding n bytes allocates at most `FACTOR`·n bytes and 64 KiB, but where a
    /// refusal reads the layout: the first one in a process, or without `std` each.
    const FACTOR: usize;
}

/// A type with a type id.
pub trait Identified: Value {
    /// The type id in message mode.
    const TYPE_ID: u16;
}

/// A value that can be encoded.
pub trait Encode: Value {
    /// How many bytes the encoding has.
    #[doc(hidden)]
    fn sdp_size(&self, depth: usize) -> usize;

    /// Writes the encoding, and notes if there is none.
    #[doc(hidden)]
    fn sdp_encode(&self, w: &mut Writer<'_>, depth: usize);

    /// Names the first thing that can't be encoded. `large` says that the value has
    /// more bytes than a u32 can count, so that parts of it may.
    #[doc(hidden)]
    fn sdp_check(&self, large: bool, depth: usize) -> Result<(), Error>;
}

/// A value that can be decoded from bytes that live for `'a`.
pub trait Decode<'a>: Value + Sized {
    /// Takes a value from the front of `s`; a message takes all of it.
    #[doc(hidden)]
    fn sdp_decode(d: &mut Decoder, s: &mut &'a [u8], depth: usize) -> Option<Self>;
}

/// A value that can be decoded into one that is there.
pub trait DecodeInto: Value {
    /// As [`Decode::sdp_decode`]. Where it fails, a part of the value was decoded.
    #[doc(hidden)]
    fn sdp_decode_into(&mut self, d: &mut Decoder, s: &mut &[u8], depth: usize) -> Option<()>;
}

/// How functions without options decode.
pub const DEFAULT: &DecodeOptions = &DecodeOptions::new();

/// Appends the encoding of a value.
#[inline]
pub fn append<T: Encode>(value: &T, output: &mut Vec<u8>) -> Result<(), Error> {
    let start = output.len();
    let mut w = Writer::of_vec(output);
    value.sdp_encode(&mut w, 1);
    match w.finish() {
        EncodeResult::Whole(_) => Ok(()),
        EncodeResult::Refused => {
            output.truncate(start);
            Err(refusal(value, Kind::ValueTooLarge))
        }
    }
}

/// Returns the encoding of a value in memory of its own.
#[inline]
pub fn encode_to_vec<T: Encode>(value: &T) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(value.sdp_size(1));
    append(value, &mut out)?;
    Ok(out)
}

/// Encodes a value into the front of a slice and returns how many bytes it has.
#[inline]
pub fn encode_to_slice<T: Encode>(value: &T, output: &mut [u8]) -> Result<usize, Error> {
    let mut w = Writer::of_slice(output);
    value.sdp_encode(&mut w, 1);
    match w.finish() {
        EncodeResult::Whole(n) => Ok(n),
        EncodeResult::Refused => Err(refusal(value, Kind::BufferTooSmall)),
    }
}

/// Writes a header and the encoding of a value.
#[inline]
fn message<T: Encode + Identified>(value: &T, w: &mut Writer<'_>) {
    w.run(header::start(T::TYPE_ID));
    let payload = w.open();
    value.sdp_encode(w, 1);
    w.close(payload);
}

/// Appends a value in message mode.
#[inline]
pub fn append_message<T: Encode + Identified>(
    value: &T,
    output: &mut Vec<u8>,
) -> Result<(), Error> {
    let start = output.len();
    let mut w = Writer::of_vec(output);
    message(value, &mut w);
    match w.finish() {
        EncodeResult::Whole(_) => Ok(()),
        EncodeResult::Refused => {
            output.truncate(start);
            Err(message_refusal(value, Kind::ValueTooLarge))
        }
    }
}

/// Returns a value in message mode in memory of its own.
#[inline]
pub fn message_to_vec<T: Encode + Identified>(value: &T) -> Result<Vec<u8>, Error> {
    let mut out = Vec::with_capacity(value.sdp_size(1).saturating_add(HEADER_BYTES));
    append_message(value, &mut out)?;
    Ok(out)
}

/// Encodes a value in message mode into the front of a slice.
#[inline]
pub fn message_to_slice<T: Encode + Identified>(
    value: &T,
    output: &mut [u8],
) -> Result<usize, Error> {
    let mut w = Writer::of_slice(output);
    message(value, &mut w);
    match w.finish() {
        EncodeResult::Whole(n) => Ok(n),
        EncodeResult::Refused => Err(message_refusal(value, Kind::BufferTooSmall)),
    }
}

/// Names what can't be encoded in message mode, where the payload has a length.
#[cold]
fn message_refusal<T: Encode>(value: &T, otherwise: Kind) -> Error {
    let refused = validate(value).and_then(|()| check_window(value.sdp_size(1)));
    refused.err().unwrap_or(Error::new(otherwise))
}

/// Names what can't be encoded: something in the value, or else `otherwise`.
#[cold]
fn refusal<T: Encode>(value: &T, otherwise: Kind) -> Error {
    validate(value).err().unwrap_or(Error::new(otherwise))
}

/// Reports the first thing in a value that encoding would refuse.
pub fn validate<T: Encode>(value: &T) -> Result<(), Error> {
    let large = u32::try_from(value.sdp_size(1)).is_err();
    value.sdp_check(large, 1)
}

/// Decodes input that is one value.
#[inline]
pub fn decode<'a, T: Decode<'a>>(input: &'a [u8], options: &DecodeOptions) -> Result<T, Error> {
    whole(input, 0, options)
}

/// Reads the elements of a list. It is not inlined, so that its loop has the
/// processor's registers for itself.
#[inline(never)]
pub fn list<'a, T: Decode<'a>>(
    n: usize,
    d: &mut Decoder,
    input: &mut &'a [u8],
    depth: usize,
) -> Option<Vec<T>> {
    let mut s = *input;
    let mut list = d.list(n, s)?;
    for _ in 0..n {
        list.push(T::sdp_decode(d, &mut s, depth)?);
    }
    *input = s;
    Some(list)
}

/// Decodes a value that lies behind as many bytes as `base` says. Byte mode and message mode share
/// this one function, so that the optimizer makes neither slower than the other.
#[inline(never)]
fn whole<'a, T: Decode<'a>>(
    input: &'a [u8],
    base: usize,
    options: &DecodeOptions,
) -> Result<T, Error> {
    let mut d = Decoder::new(input.len(), T::FACTOR, options);
    if input.len() <= options.limits.message_bytes && d.starved.is_none() {
        let mut s = input;
        if let Some(value) = T::sdp_decode(&mut d, &mut s, 1) {
            if s.is_empty() {
                return Ok(value);
            }
        }
    }
    Err(*named::<T>(input, base, Mode::Whole, options, &d))
}

/// Decodes input that is one value into one that is there.
#[inline]
pub fn decode_into<T: DecodeInto>(
    value: &mut T,
    input: &[u8],
    options: &DecodeOptions,
) -> Result<(), Error> {
    let mut d = Decoder::new(input.len(), T::FACTOR, options);
    if input.len() <= options.limits.message_bytes && d.starved.is_none() {
        let mut s = input;
        if value.sdp_decode_into(&mut d, &mut s, 1).is_some() && s.is_empty() {
            return Ok(());
        }
    }
    Err(*named::<T>(input, 0, Mode::Whole, options, &d))
}

/// Encodes a value into as many bytes as it has, and returns whether it has as many. Nobody names
/// why not, so that nothing is allocated.
#[inline]
pub fn put_whole<T: Encode>(value: &T, output: &mut [u8]) -> bool {
    let n = output.len();
    let mut w = Writer::of_slice(output);
    value.sdp_encode(&mut w, 1);
    matches!(w.finish(), EncodeResult::Whole(wrote) if wrote == n)
}

/// The value that bytes are, unless they are none. Nobody names why.
#[inline]
#[must_use]
pub fn get_whole<'a, T: Decode<'a>>(bytes: &'a [u8]) -> Option<T> {
    let (mut d, mut s) = (Decoder::new(bytes.len(), T::FACTOR, DEFAULT), bytes);
    let value = T::sdp_decode(&mut d, &mut s, 1)?;
    s.is_empty().then_some(value)
}

/// Replaces a value by that which bytes are, and returns whether they are one. If not, a part of
/// the value may have been replaced.
#[inline]
pub fn get_whole_into<T: DecodeInto>(value: &mut T, bytes: &[u8]) -> bool {
    let (mut d, mut s) = (Decoder::new(bytes.len(), T::FACTOR, DEFAULT), bytes);
    value.sdp_decode_into(&mut d, &mut s, 1).is_some() && s.is_empty()
}

/// Decodes a value from the start of input, and says how many bytes it took.
#[inline]
pub fn decode_prefix<'a, T: Decode<'a>>(
    input: &'a [u8],
    options: &DecodeOptions,
) -> Result<(T, usize), Error> {
    let mut d = Decoder::new(input.len(), T::FACTOR, options);
    if input.len() <= options.limits.message_bytes && d.starved.is_none() {
        let mut s = input;
        if let Some(value) = T::sdp_decode(&mut d, &mut s, 1) {
            return Ok((value, input.len() - s.len()));
        }
    }
    Err(*named::<T>(input, 0, Mode::Prefix, options, &d))
}

/// Decodes input that is one message.
#[inline]
pub fn decode_message<'a, T: Decode<'a> + Identified>(
    input: &'a [u8],
    options: &DecodeOptions,
) -> Result<T, Error> {
    let payload = header::payload(input, T::TYPE_ID, options.limits.message_bytes)?;
    let value = whole(payload, HEADER_BYTES, options)?;
    behind(input, payload)?;
    Ok(value)
}

/// Refuses bytes behind a message's payload.
#[inline]
pub(crate) fn behind(input: &[u8], payload: &[u8]) -> Result<(), Error> {
    let end = HEADER_BYTES + payload.len();
    if input.len() > end {
        return Err(Error::at(Kind::TrailingBytes, end, String::new()));
    }
    Ok(())
}

/// Names the refusal of input that a decoder would not take. It comes in a box so
/// that the value of the good way, which has the same place in a result, need not
/// be in memory.
#[expect(
    clippy::unnecessary_box_returns,
    reason = "the box keeps the error out of the result's memory"
)]
#[cold]
#[inline(never)]
pub(crate) fn named<T: Value>(
    input: &[u8],
    base: usize,
    mode: Mode,
    options: &DecodeOptions,
    d: &Decoder,
) -> Box<Error> {
    let starved = d
        .starved
        .map(|position| position.saturating_sub(input.as_ptr() as usize));
    let refusal = with_table(T::Declared::sdp_layout(), |layout| {
        let walk = |memory_at| {
            let (exact, limits) = (options.exact, &options.limits);
            explain_by(layout?, input, base, mode, exact, limits, memory_at)
        };
        let share = if d.is_share { walk(None) } else { None };
        share.or_else(|| walk(starved))
    });
    // Only a defect of the generated code leaves nothing to name. Its bytes stay refused.
    Box::new(refusal.unwrap_or_else(|| Error::at(Kind::ValueInvalid, base, String::new())))
}

/// Checks the length of a string or blob, or the count of a list or map.
#[doc(hidden)]
pub fn check_length<const WIDTH: usize>(
    n: usize,
    max: Option<usize>,
    path: &[&dyn Step],
) -> Result<(), Error> {
    let kind = match max {
        Some(max) if n > max => Kind::LimitMax,
        None if n > crate::writer::widest::<WIDTH>() => Kind::ValueTooLarge,
        _ => return Ok(()),
    };
    within(Err(Error::new(kind)), path)
}

/// Checks the depth of an aggregate.
#[doc(hidden)]
pub fn check_depth(depth: usize) -> Result<(), Error> {
    if depth > LIMIT_DEPTH {
        return Err(Error::new(Kind::LimitDepth));
    }
    Ok(())
}

/// Checks that a u32 can count the bytes of a message that lies in another value.
#[doc(hidden)]
pub fn check_body<T: Encode>(message: &T, large: bool, depth: usize) -> Result<(), Error> {
    if large && depth > 1 {
        return check_window(message.sdp_size(depth));
    }
    Ok(())
}

/// Checks that a u32 can count the bytes of a message's body or a payload.
#[doc(hidden)]
pub fn check_window(n: usize) -> Result<(), Error> {
    if u32::try_from(n).is_err() {
        return Err(Error::new(Kind::ValueTooLarge));
    }
    Ok(())
}

/// Checks the tag of an unknown alternative: that of a known one contradicts it, and
/// 0 is that of a union without an alternative.
#[doc(hidden)]
pub fn check_unknown(tag: u8, tags: &[u8]) -> Result<(), Error> {
    if tag == 0 || tags.contains(&tag) {
        return Err(Error::new(Kind::ValueInvalid));
    }
    Ok(())
}

/// A step of a path: the name of a field, of an alternative, or of the key or value of an
/// entry, or the index of an element.
#[doc(hidden)]
pub trait Step {
    /// Says that what is refused lies behind the step.
    fn around(&self, error: Error) -> Error;
}

impl Step for &str {
    fn around(&self, error: Error) -> Error {
        error.in_field(self)
    }
}

impl Step for usize {
    fn around(&self, error: Error) -> Error {
        error.in_element(*self)
    }
}

/// Says where the refused value lies: the steps from the outside in.
#[doc(hidden)]
pub fn within(result: Result<(), Error>, path: &[&dyn Step]) -> Result<(), Error> {
    result.map_err(|error| {
        path.iter()
            .rev()
            .fold(error, |error, step| step.around(error))
    })
}
