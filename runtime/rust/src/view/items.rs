//! Lists of values of fixed size.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use crate::memory::{self, Number};
use crate::Fixed;

/// The elements of a list or array that are all of one size, in order. It is an
/// iterator, and knows each element's place.
pub struct Items<'a, T> {
    bytes: &'a [u8],
    item: PhantomData<fn() -> T>,
}

impl<'a, T: Fixed> Items<'a, T> {
    #[inline(always)]
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            item: PhantomData,
        }
    }

    /// The element that comes after so many others.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<T> {
        let start = index.checked_mul(T::SIZE)?;
        let bytes = self.bytes.get(start..)?.get(..T::SIZE)?;
        Some(T::sdp_from(bytes))
    }

    /// Whether no element is left.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl<'a, T: Fixed + Number> Items<'a, T> {
    /// The numbers where they lie, if this machine can read them there: it holds
    /// numbers as the bytes do, and they happen to be aligned.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        memory::numbers(self.bytes)
    }

    /// The numbers where they lie if this machine can read them there, else a copy.
    #[must_use]
    pub fn to_cow(&self) -> Cow<'a, [T]> {
        if let Some(numbers) = self.as_slice() {
            return Cow::Borrowed(numbers);
        }
        let mut numbers = Vec::new();
        T::sdp_extend(&mut numbers, self.bytes);
        Cow::Owned(numbers)
    }
}

impl<T: Fixed> Iterator for Items<'_, T> {
    type Item = T;

    #[inline(always)]
    fn next(&mut self) -> Option<T> {
        let (item, rest) = self.bytes.split_at_checked(T::SIZE)?;
        self.bytes = rest;
        Some(T::sdp_from(item))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let n = self.bytes.len().checked_div(T::SIZE).unwrap_or(0);
        (n, Some(n))
    }

    #[inline]
    fn nth(&mut self, n: usize) -> Option<T> {
        let skipped = n.saturating_mul(T::SIZE);
        self.bytes = self.bytes.get(skipped..).unwrap_or(&[]);
        self.next()
    }
}

impl<T: Fixed> DoubleEndedIterator for Items<'_, T> {
    #[inline]
    fn next_back(&mut self) -> Option<T> {
        let end = self.bytes.len().checked_sub(T::SIZE)?;
        let (rest, item) = self.bytes.split_at_checked(end)?;
        self.bytes = rest;
        Some(T::sdp_from(item))
    }
}

impl<T: Fixed> ExactSizeIterator for Items<'_, T> {}

impl<T: Fixed> FusedIterator for Items<'_, T> {}

impl<T> Clone for Items<'_, T> {
    fn clone(&self) -> Self {
        Self {
            bytes: self.bytes,
            item: PhantomData,
        }
    }
}

impl<T: Fixed + fmt::Debug> fmt::Debug for Items<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
