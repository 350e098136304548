//! Maps.

use core::cmp::Ordering;
use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;

use super::{valid_bytes, Shape, Str, Value};
use crate::Fixed;

/// The entries of a map in the order of their keys: an iterator of keys and values
/// that says how many are left.
pub struct Entries<'a, K, V> {
    /// The bytes behind the last entry returned, or bytes that begin with its value's tail.
    rest: &'a [u8],
    n: usize,
    at_tail: bool,
    entry: PhantomData<fn() -> (K, V)>,
}

impl<'a, K: Shape, V: Shape> Entries<'a, K, V> {
    #[inline(always)]
    pub(super) fn of(rest: &'a [u8], n: usize) -> Self {
        Self {
            rest,
            n,
            at_tail: false,
            entry: PhantomData,
        }
    }

    /// Whether no entry is left.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }
}

/// A shape that keys have.
pub trait Key: Shape {
    /// The type of a key that is looked for.
    type Sought: ?Sized;

    /// How a key lies to one that is looked for.
    #[doc(hidden)]
    fn order(key: &Self::Item<'_>, sought: &Self::Sought) -> Ordering;
}

impl<const WIDTH: usize> Key for Str<WIDTH> {
    type Sought = str;

    #[inline]
    fn order(key: &&str, sought: &str) -> Ordering {
        (*key).cmp(sought)
    }
}

impl<T: Fixed + Ord + fmt::Debug> Key for Value<T> {
    type Sought = T;

    #[inline]
    fn order(key: &T, sought: &T) -> Ordering {
        key.cmp(sought)
    }
}

impl<'a, K: Key, V: Shape> Entries<'a, K, V> {
    /// The value of a key, which is looked for among the entries that are left, one
    /// after the other.
    #[must_use]
    pub fn get(&self, key: &K::Sought) -> Option<V::Item<'a>> {
        for (found, value) in self.clone() {
            match K::order(&found, key) {
                Ordering::Less => {}
                Ordering::Equal => return Some(value),
                Ordering::Greater => return None,
            }
        }
        None
    }
}

impl<'a, K: Shape, V: Shape> Iterator for Entries<'a, K, V> {
    type Item = (K::Item<'a>, V::Item<'a>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        self.n = self.n.checked_sub(1)?;
        if V::HAS_TAIL && self.at_tail {
            V::finish(&mut self.rest);
        }
        let key = valid_bytes::next::<K>(&mut self.rest);
        let value = V::step(&mut self.rest);
        self.at_tail = V::HAS_TAIL;
        Some((key, value))
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.n, Some(self.n))
    }
}

impl<K: Shape, V: Shape> ExactSizeIterator for Entries<'_, K, V> {}

impl<K: Shape, V: Shape> FusedIterator for Entries<'_, K, V> {}

impl<K, V> Clone for Entries<'_, K, V> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<K: Shape, V: Shape> fmt::Debug for Entries<'_, K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.clone()).finish()
    }
}
