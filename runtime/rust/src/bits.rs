//! Comparing and hashing floats by their bits, as encodings are compared.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

/// A value that holds floats. Generated code compares and hashes all others by
/// itself.
pub trait Bits {
    /// Reports whether both have the same bits.
    fn same(&self, value: &Self) -> bool;

    /// Feeds the bits to a hasher.
    fn feed<H: Hasher>(&self, state: &mut H);
}

/// Reports whether two values have the same bits.
#[must_use]
pub fn same<T: Bits + ?Sized>(a: &T, b: &T) -> bool {
    a.same(b)
}

/// Feeds the bits of a value to a hasher.
pub fn hash<T: Bits + ?Sized, H: Hasher>(value: &T, state: &mut H) {
    value.feed(state);
}

macro_rules! float {
    ($($type:ty),*) => {$(
        impl Bits for $type {
            fn same(&self, value: &Self) -> bool {
                self.to_bits() == value.to_bits()
            }

            fn feed<H: Hasher>(&self, state: &mut H) {
                self.to_bits().hash(state);
            }
        }
    )*};
}

float!(f32, f64);

impl<T: Bits> Bits for [T] {
    fn same(&self, value: &Self) -> bool {
        self.len() == value.len() && self.iter().zip(value).all(|(a, b)| a.same(b))
    }

    fn feed<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        for item in self {
            item.feed(state);
        }
    }
}

impl<T: Bits, const N: usize> Bits for [T; N] {
    fn same(&self, value: &Self) -> bool {
        self.as_slice().same(value)
    }

    fn feed<H: Hasher>(&self, state: &mut H) {
        self.as_slice().feed(state);
    }
}

impl<T: Bits> Bits for Vec<T> {
    fn same(&self, value: &Self) -> bool {
        self.as_slice().same(value)
    }

    fn feed<H: Hasher>(&self, state: &mut H) {
        self.as_slice().feed(state);
    }
}

impl<T: Bits + Clone> Bits for Cow<'_, [T]> {
    fn same(&self, value: &Self) -> bool {
        (**self).same(value)
    }

    fn feed<H: Hasher>(&self, state: &mut H) {
        (**self).feed(state);
    }
}

impl<T: Bits + ?Sized> Bits for Box<T> {
    fn same(&self, value: &Self) -> bool {
        (**self).same(value)
    }

    fn feed<H: Hasher>(&self, state: &mut H) {
        (**self).feed(state);
    }
}

impl<T: Bits + ?Sized> Bits for &T {
    fn same(&self, value: &Self) -> bool {
        (**self).same(value)
    }

    fn feed<H: Hasher>(&self, state: &mut H) {
        (**self).feed(state);
    }
}

impl<T: Bits> Bits for Option<T> {
    fn same(&self, value: &Self) -> bool {
        match (self, value) {
            (Some(a), Some(b)) => a.same(b),
            (None, None) => true,
            _ => false,
        }
    }

    fn feed<H: Hasher>(&self, state: &mut H) {
        self.is_some().hash(state);
        if let Some(value) = self {
            value.feed(state);
        }
    }
}

impl<K: Ord + Hash, V: Bits> Bits for BTreeMap<K, V> {
    fn same(&self, value: &Self) -> bool {
        self.len() == value.len()
            && self
                .iter()
                .zip(value)
                .all(|((k, v), (l, w))| k == l && v.same(w))
    }

    fn feed<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        for (key, value) in self {
            key.hash(state);
            value.feed(state);
        }
    }
}

/// The equality and hash of a struct or message that has floats.
#[doc(hidden)]
#[macro_export]
macro_rules! __record_by_bits {
    ($type:ty { $($kind:ident $field:ident,)* }) => {
        /// Floats are compared by their bits: values are equal if their encodings are.
        impl ::core::cmp::PartialEq for $type {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                $($crate::__by_bits!(same $kind, &self.$field, &other.$field) &&)* true
            }
        }

        impl ::core::cmp::Eq for $type {}

        impl ::core::hash::Hash for $type {
            #[inline]
            fn hash<H: ::core::hash::Hasher>(&self, state: &mut H) {
                $($crate::__by_bits!(hash $kind, &self.$field, state);)*
            }
        }
    };
}

/// The equality and hash of a union that has floats.
#[doc(hidden)]
#[macro_export]
macro_rules! __union_by_bits {
    ($type:ty {
        $($kind:ident $tag:literal $variant:ident $(($a:ident, $b:ident))?,)* $(..$unknown:ident)?
    }) => {
        /// Floats are compared by their bits: values are equal if their encodings are.
        impl ::core::cmp::PartialEq for $type {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                match (self, other) {
                    $((Self::$variant $(($a))?, Self::$variant $(($b))?) => {
                        $($crate::__by_bits!(same $kind, $a, $b) &&)? true
                    })*
                    $((
                        Self::$unknown { tag: a, payload: c },
                        Self::$unknown { tag: b, payload: d },
                    ) => a == b && c == d,)?
                    _ => false,
                }
            }
        }

        impl ::core::cmp::Eq for $type {}

        impl ::core::hash::Hash for $type {
            #[inline]
            fn hash<H: ::core::hash::Hasher>(&self, state: &mut H) {
                match self {
                    $(Self::$variant $(($a))? => {
                        ::core::hash::Hash::hash(&$tag, state);
                        $($crate::__by_bits!(hash $kind, $a, state);)?
                    })*
                    $(Self::$unknown { tag, payload } => {
                        ::core::hash::Hash::hash(&(tag, payload), state);
                    })?
                }
            }
        }
    };
}

/// A part of a type that has floats, compared or hashed.
#[doc(hidden)]
#[macro_export]
macro_rules! __by_bits {
    (same value, $a:expr, $b:expr) => {
        $a == $b
    };
    (same bits, $a:expr, $b:expr) => {
        $crate::wire::same($a, $b)
    };
    (hash value, $part:expr, $state:ident) => {
        ::core::hash::Hash::hash($part, $state)
    };
    (hash bits, $part:expr, $state:ident) => {
        $crate::wire::hash($part, $state)
    };
}
