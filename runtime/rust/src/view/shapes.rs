//! The shapes of all types that have no name.

use core::fmt;
use core::marker::PhantomData;

use super::{valid_bytes, EndsInList, Entries, Items, List, Shape};
use crate::Fixed;

/// The shape of a value of fixed size.
pub struct Value<T>(PhantomData<fn() -> T>);

impl<T: Fixed + fmt::Debug> Shape for Value<T> {
    type Item<'a> = T;

    #[inline(always)]
    fn step(s: &mut &[u8]) -> T {
        valid_bytes::known_value(s)
    }
}

/// The shape of a string behind a length of `WIDTH` bytes.
pub struct Str<const WIDTH: usize>;

impl<const WIDTH: usize> Shape for Str<WIDTH> {
    type Item<'a> = &'a str;

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> &'a str {
        valid_bytes::known_text(valid_bytes::known_bytes::<WIDTH>(s))
    }

    #[inline(always)]
    fn skip(s: &mut &[u8]) {
        Bytes::<WIDTH>::skip(s);
    }
}

/// The shape of bytes behind a length of `WIDTH` bytes.
pub struct Bytes<const WIDTH: usize>;

impl<const WIDTH: usize> Shape for Bytes<WIDTH> {
    type Item<'a> = &'a [u8];

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> &'a [u8] {
        valid_bytes::known_bytes::<WIDTH>(s)
    }
}

/// The shape of a list of values of fixed size behind a count of `WIDTH` bytes.
pub struct ItemsOf<const WIDTH: usize, T>(PhantomData<fn() -> T>);

impl<const WIDTH: usize, T: Fixed + fmt::Debug> Shape for ItemsOf<WIDTH, T> {
    type Item<'a> = Items<'a, T>;

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> Items<'a, T> {
        let n = valid_bytes::known_count::<WIDTH>(s);
        Items::new(valid_bytes::known(s, n.saturating_mul(T::SIZE)))
    }
}

/// The shape of an array of `N` values of fixed size.
pub struct FixedArrayOf<const N: usize, T>(PhantomData<fn() -> T>);

impl<const N: usize, T: Fixed + fmt::Debug> Shape for FixedArrayOf<N, T> {
    type Item<'a> = Items<'a, T>;

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> Items<'a, T> {
        Items::new(valid_bytes::known(s, N.saturating_mul(T::SIZE)))
    }
}

/// The shape of a list of other values behind a count of `WIDTH` bytes.
pub struct ListOf<const WIDTH: usize, E>(PhantomData<fn() -> E>);

impl<const WIDTH: usize, E: Shape> Shape for ListOf<WIDTH, E> {
    type Item<'a> = List<'a, E>;
    const HAS_TAIL: bool = true;

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> List<'a, E> {
        List::counted::<WIDTH>(s)
    }

    #[inline(always)]
    fn finish(s: &mut &[u8]) {
        *s = List::<E>::counted::<WIDTH>(s).end();
    }

    #[inline(always)]
    fn skip(s: &mut &[u8]) {
        Self::finish(s);
    }
}

impl<const WIDTH: usize, E: Shape> EndsInList for ListOf<WIDTH, E> {
    type Last = E;
}

/// The shape of an array of `N` other values.
pub struct ArrayOf<const N: usize, E>(PhantomData<fn() -> E>);

impl<const N: usize, E: Shape> Shape for ArrayOf<N, E> {
    type Item<'a> = List<'a, E>;
    const HAS_TAIL: bool = true;

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> List<'a, E> {
        List::of(s, N)
    }

    #[inline(always)]
    fn finish(s: &mut &[u8]) {
        *s = List::<E>::of(s, N).end();
    }

    #[inline(always)]
    fn skip(s: &mut &[u8]) {
        Self::finish(s);
    }
}

/// The shape of a map behind a count of `WIDTH` bytes.
pub struct MapOf<const WIDTH: usize, K, V>(PhantomData<fn() -> (K, V)>);

impl<const WIDTH: usize, K: Shape, V: Shape> Shape for MapOf<WIDTH, K, V> {
    type Item<'a> = Entries<'a, K, V>;
    const HAS_TAIL: bool = true;

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> Entries<'a, K, V> {
        let mut rest = *s;
        let n = valid_bytes::known_count::<WIDTH>(&mut rest);
        Entries::of(rest, n)
    }

    #[inline(always)]
    fn finish(s: &mut &[u8]) {
        for _ in 0..valid_bytes::known_count::<WIDTH>(s) {
            K::skip(s);
            V::skip(s);
        }
    }

    #[inline(always)]
    fn skip(s: &mut &[u8]) {
        Self::finish(s);
    }
}

/// The shape of a presence byte and perhaps a value.
pub struct Maybe<E>(PhantomData<fn() -> E>);

impl<E: Shape> Shape for Maybe<E> {
    type Item<'a> = Option<E::Item<'a>>;
    const HAS_TAIL: bool = true;

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> Option<E::Item<'a>> {
        let mut rest = *s;
        if valid_bytes::known_value(&mut rest) {
            Some(valid_bytes::read::<E>(rest))
        } else {
            None
        }
    }

    #[inline(always)]
    fn finish(s: &mut &[u8]) {
        if valid_bytes::known_value(s) {
            E::skip(s);
        }
    }

    #[inline(always)]
    fn skip(s: &mut &[u8]) {
        Self::finish(s);
    }
}

/// The shape of a message behind the u32 length of its body.
pub struct Framed<E>(PhantomData<fn() -> E>);

impl<E: Shape> Shape for Framed<E> {
    type Item<'a> = E::Item<'a>;

    #[inline(always)]
    fn step<'a>(s: &mut &'a [u8]) -> E::Item<'a> {
        valid_bytes::read::<E>(valid_bytes::known_bytes::<4>(s))
    }

    #[inline(always)]
    fn skip(s: &mut &[u8]) {
        Bytes::<4>::skip(s);
    }
}

/// A value that is only looked at when it is asked for: the payload of an
/// alternative that is large, or of the union's own type.
pub struct Lazy<'a, E> {
    bytes: &'a [u8],
    value: PhantomData<fn() -> E>,
}

impl<'a, E: Shape> Lazy<'a, E> {
    /// The value at the front of bytes.
    #[doc(hidden)]
    #[inline(always)]
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            value: PhantomData,
        }
    }

    /// The value.
    #[inline]
    #[must_use]
    pub fn get(&self) -> E::Item<'a> {
        valid_bytes::read::<E>(self.bytes)
    }
}

impl<E> Clone for Lazy<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Lazy<'_, E> {}

impl<E: Shape> fmt::Debug for Lazy<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}
