//! The values that travel in frames, besides ids.

use alloc::vec::Vec;
use core::fmt;

use crate::session::{mxp_control as control, BATCHED_BYTES};

/// How an exchange ended, by the numbers of gRPC.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status(pub u16);

impl Status {
    /// No failure.
    pub const OK: Self = Self(0);
    /// The side that asked has taken it back.
    pub const CANCELLED: Self = Self(1);
    /// Something that has no better number.
    pub const UNKNOWN: Self = Self(2);
    /// The request makes no sense.
    pub const INVALID_ARGUMENT: Self = Self(3);
    /// Time is over.
    pub const DEADLINE_EXCEEDED: Self = Self(4);
    /// The thing that was asked for is not there.
    pub const NOT_FOUND: Self = Self(5);
    /// The thing that was to be made is there.
    pub const ALREADY_EXISTS: Self = Self(6);
    /// The caller may not.
    pub const PERMISSION_DENIED: Self = Self(7);
    /// A limit is reached.
    pub const RESOURCE_EXHAUSTED: Self = Self(8);
    /// The state of things does not allow it.
    pub const FAILED_PRECONDITION: Self = Self(9);
    /// Others came between.
    pub const ABORTED: Self = Self(10);
    /// It is beyond what there is.
    pub const OUT_OF_RANGE: Self = Self(11);
    /// Nobody can do it here.
    pub const UNIMPLEMENTED: Self = Self(12);
    /// Something is broken.
    pub const INTERNAL: Self = Self(13);
    /// Nobody can do it now.
    pub const UNAVAILABLE: Self = Self(14);
    /// Data is lost or damaged.
    pub const DATA_LOSS: Self = Self(15);
    /// The caller's identity is not known.
    pub const UNAUTHENTICATED: Self = Self(16);
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&control::Status::from_number(self.0), f)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&control::Status::from_number(self.0), f)
    }
}

/// Where a request belongs: W3C's trace context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct TraceContext {
    /// The trace.
    pub id: [u8; 16],
    /// The span that the request was made in.
    pub parent: u64,
    /// Bit 1: sampled.
    pub flags: u8,
}

impl TraceContext {
    /// The part of it that headers have: the low half of its id [MXP-5.5].
    #[must_use]
    pub fn low_half(&self) -> u64 {
        u64::from_be_bytes(*self.id.last_chunk().unwrap_or(&[0; 8]))
    }
}

/// Keys and values that travel beside a request or its answer.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Metadata<'a> {
    /// How many there are.
    n: usize,
    /// The pairs, as they lie in a payload that was validated.
    bytes: &'a [u8],
}

impl<'a> Metadata<'a> {
    /// The entries at the start of a validated payload, behind their count.
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        let (&n, bytes) = bytes.split_first().unwrap_or((&0, &[]));
        Self {
            n: usize::from(n),
            bytes,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// The value of a key, the first if there are several.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'a [u8]> {
        let mut pairs = self.iter();
        pairs.find_map(|(name, value)| (name == key).then_some(value))
    }

    /// All keys and values.
    #[must_use]
    pub const fn iter(&self) -> Pairs<'a> {
        Pairs { left: *self }
    }
}

impl<'a> IntoIterator for Metadata<'a> {
    type Item = (&'a str, &'a [u8]);
    type IntoIter = Pairs<'a>;

    fn into_iter(self) -> Pairs<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &Metadata<'a> {
    type Item = (&'a str, &'a [u8]);
    type IntoIter = Pairs<'a>;

    fn into_iter(self) -> Pairs<'a> {
        self.iter()
    }
}

/// Keys and values, in the order in which they were sent.
#[derive(Debug, Clone)]
pub struct Pairs<'a> {
    left: Metadata<'a>,
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a str, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let left = &mut self.left;
        left.n = left.n.checked_sub(1)?;
        let (&length, rest) = left.bytes.split_first()?;
        let (key, rest) = rest.split_at_checked(usize::from(length))?;
        let (length, rest) = rest.split_first_chunk()?;
        let (value, rest) = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        left.bytes = rest;
        Some((core::str::from_utf8(key).unwrap_or(""), value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left.n))
    }
}

impl fmt::Debug for Metadata<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(*self).finish()
    }
}

/// Why a request, or a session, ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure<'a> {
    /// The kind of failure, for programs.
    pub status: Status,
    /// The name of a refusal or a limit, else one of the peer's user.
    pub name: &'a str,
    /// A description of what happened, for people.
    pub text: &'a str,
    /// More of it, for programs.
    pub details: &'a [u8],
    /// Whether somebody may have acted on the request.
    pub acted: bool,
}

/// The chunks and bytes that may be sent on a stream, in addition to earlier grants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Grant {
    /// How many chunks.
    pub messages: u32,
    /// How many bytes their values may have together.
    pub bytes: u64,
}

/// A value to be sent. A long value that is owned is not copied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value<'a> {
    /// Bytes that stay the user's, and are copied.
    Borrowed(&'a [u8]),
    /// Bytes that were the user's.
    Vec(Vec<u8>),
    /// Bytes that others share.
    #[cfg(feature = "bytes")]
    Bytes(bytes::Bytes),
}

/// A value that is owned and has more bytes is sent from where it lies. No shorter one is, since
/// others may join it [MXP-17.6].
const SHORT_BYTES: usize = BATCHED_BYTES;

impl Value<'_> {
    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Borrowed(bytes) => bytes,
            Self::Vec(bytes) => bytes,
            #[cfg(feature = "bytes")]
            Self::Bytes(bytes) => bytes,
        }
    }

    /// The same value, which can be lent: one that is long and owned is shared from here
    /// on.
    #[cfg(any(feature = "tokio", feature = "blocking"))]
    pub(crate) fn shared(self) -> Self {
        match self {
            Self::Vec(bytes) if bytes.len() > SHORT_BYTES => Self::Bytes(bytes.into()),
            value => value,
        }
    }

    /// The value once more. A long value that is shared is not copied.
    #[cfg(feature = "bytes")]
    pub(crate) fn lent(&self) -> Value<'_> {
        match self {
            Self::Bytes(bytes) if bytes.len() > SHORT_BYTES => Value::Bytes(bytes.clone()),
            value => Value::Borrowed(value.as_slice()),
        }
    }

    /// The value, which is copied if it is lent.
    #[cfg(all(feature = "tokio", feature = "blocking"))]
    pub(crate) fn into_owned(self) -> Value<'static> {
        match self {
            Self::Borrowed(bytes) => Value::Vec(bytes.to_vec()),
            Self::Vec(bytes) => Value::Vec(bytes),
            Self::Bytes(bytes) => Value::Bytes(bytes),
        }
    }

    /// The value itself, if it is to be sent from where it lies.
    pub(crate) fn into_long(self) -> Result<Value<'static>, Self> {
        if self.as_slice().len() <= SHORT_BYTES {
            return Err(self);
        }
        match self {
            Self::Borrowed(_) => Err(self),
            Self::Vec(bytes) => Ok(Value::Vec(bytes)),
            #[cfg(feature = "bytes")]
            Self::Bytes(bytes) => Ok(Value::Bytes(bytes)),
        }
    }
}

impl Default for Value<'_> {
    fn default() -> Self {
        Self::Borrowed(&[])
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Borrowed(bytes)
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Value<'a> {
    fn from(bytes: &'a [u8; N]) -> Self {
        Self::Borrowed(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Value<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Self::Borrowed(bytes)
    }
}

impl From<Vec<u8>> for Value<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Vec(bytes)
    }
}

#[cfg(feature = "bytes")]
impl From<bytes::Bytes> for Value<'_> {
    fn from(bytes: bytes::Bytes) -> Self {
        Self::Bytes(bytes)
    }
}
