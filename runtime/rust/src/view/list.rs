//! Lists of values of varying size.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::{valid_bytes, EndsInList, Shape};

/// The elements of a list or array that aren't of one size, in order: an iterator
/// that walks over the bytes, and says how many elements are left.
pub struct List<'a, E> {
    /// The bytes behind the last element returned, or bytes that begin with its tail.
    rest: &'a [u8],
    n: usize,
    /// Whether `rest` begins with a tail.
    at_tail: bool,
    /// How many bytes there were from the list's count on.
    whole: usize,
    element: PhantomData<fn() -> E>,
}

impl<'a, E: Shape> List<'a, E> {
    /// A list behind a count of `WIDTH` bytes.
    #[inline(always)]
    pub(super) fn counted<const WIDTH: usize>(s: &'a [u8]) -> Self {
        let mut rest = s;
        let n = valid_bytes::known_count::<WIDTH>(&mut rest);
        Self {
            whole: s.len(),
            ..Self::of(rest, n)
        }
    }

    /// `n` elements.
    #[inline(always)]
    pub(super) fn of(rest: &'a [u8], n: usize) -> Self {
        Self {
            rest,
            n,
            at_tail: false,
            whole: usize::MAX,
            element: PhantomData,
        }
    }

    /// The bytes behind all elements.
    #[inline(always)]
    pub(super) fn end(mut self) -> &'a [u8] {
        self.close();
        for _ in 0..self.n {
            E::skip(&mut self.rest);
        }
        self.rest
    }

    /// Walks over the tail of the last element returned.
    #[inline(always)]
    fn close(&mut self) {
        if E::HAS_TAIL && self.at_tail {
            E::finish(&mut self.rest);
            self.at_tail = false;
        }
    }

    /// Whether no element is left.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }
}

impl<'a, E: EndsInList> List<'a, E> {
    /// Goes on where a list ends that is the last field of the element returned
    /// last. To find the next element this list else walks over that one once more;
    /// where all is read it takes as long as the reading. Other lists change nothing.
    ///
    /// ```text
    /// let mut plugins = registry.plugins();
    /// while let Some(plugin) = plugins.next() {
    ///     let mut parameters = plugin.parameters();
    ///     for parameter in parameters.by_ref() { /* … */ }
    ///     plugins.resume(parameters);
    /// }
    /// ```
    #[inline(always)]
    pub fn resume(&mut self, last: List<'a, E::Last>) {
        if self.at_tail && last.whole == self.rest.len() {
            let end = last.end();
            if end.as_ptr_range().end == self.rest.as_ptr_range().end {
                self.rest = end;
                self.at_tail = false;
            }
        }
    }
}

impl<'a, E: Shape> Iterator for List<'a, E> {
    type Item = E::Item<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.n = self.n.checked_sub(1)?;
        self.close();
        let item = E::step(&mut self.rest);
        self.at_tail = E::HAS_TAIL;
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.n, Some(self.n))
    }
}

impl<E: Shape> ExactSizeIterator for List<'_, E> {}

impl<E: Shape> FusedIterator for List<'_, E> {}

impl<E> Clone for List<'_, E> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<E: Shape> fmt::Debug for List<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}
