//! Borrowed values that own what they are borrowed from.

use core::fmt;

use crate::codec;
use crate::memory::{Bound, Stable};
use crate::wire::{Decode, Identified};
use crate::{DecodeOptions, Error};

/// A borrowed form, for any lifetime. Generated code implements it for
/// `XRef<'static>`.
pub trait Borrowed: 'static {
    /// The form that borrows for `'a`.
    type Of<'a>: Decode<'a>;

    /// A reference to a value that borrows for a shorter time.
    #[doc(hidden)]
    fn shorten<'short, 'long: 'short>(value: &'short Self::Of<'long>) -> &'short Self::Of<'short>;
}

/// Bytes and a value that is borrowed from them, together: it has no lifetime, so
/// that it can be stored and sent to another thread, and its strings aren't copied.
/// `B` is `Vec<u8>`, `Arc<[u8]>`, or `bytes::Bytes` with the feature of that name.
pub struct Owner<T: Borrowed, B: Stable = alloc::vec::Vec<u8>> {
    bound: Bound<B, T::Of<'static>>,
}

impl<T: Borrowed, B: Stable> Owner<T, B> {
    /// Decodes bytes that are one value, and keeps them.
    ///
    /// # Errors
    ///
    /// Names what is wrong with the bytes.
    pub fn decode(bytes: B) -> Result<Self, Error> {
        Self::decode_with(bytes, &DecodeOptions::new())
    }

    /// Decodes by options.
    ///
    /// # Errors
    ///
    /// Names what is wrong with the bytes.
    pub fn decode_with(bytes: B, options: &DecodeOptions) -> Result<Self, Error> {
        let bound = Bound::new(bytes, |bytes| codec::decode(bytes, options))?;
        Ok(Self { bound })
    }

    /// Decodes a message that must be of this type, and keeps its bytes.
    ///
    /// # Errors
    ///
    /// Names what is wrong with the bytes.
    pub fn decode_message(bytes: B) -> Result<Self, Error>
    where
        T::Of<'static>: Identified,
    {
        let options = DecodeOptions::new();
        let bound = Bound::new(bytes, |bytes| codec::decode_message(bytes, &options))?;
        Ok(Self { bound })
    }

    /// The value, which borrows from this owner.
    #[must_use]
    pub fn get(&self) -> &T::Of<'_> {
        T::shorten(self.bound.value())
    }

    /// The bytes.
    #[must_use]
    pub fn bytes(&self) -> &B {
        self.bound.bytes()
    }

    /// Gives the bytes back.
    #[must_use]
    pub fn into_bytes(self) -> B {
        self.bound.into_bytes()
    }
}

impl<T: Borrowed, B: Stable> fmt::Debug for Owner<T, B>
where
    for<'a> T::Of<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
