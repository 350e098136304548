//! The forms of a value: owned, and borrowed from an owned one or from bytes.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use crate::memory::Number;
use crate::shape::boxed_array;
use crate::{Duration, Timestamp, Uuid};

/// A value of which one of a form is made, which may borrow from it.
pub trait Form<'a, T> {
    /// The value in that form.
    fn form(&'a self) -> T;

    /// The value in that form, on the heap.
    fn boxed_form(&'a self) -> Box<T> {
        Box::new(self.form())
    }
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Form<'_, $type> for $type {
            fn form(&self) -> $type {
                *self
            }
        }
    )*};
}

plain! { bool u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 Timestamp Duration Uuid }

impl<'a> Form<'a, &'a str> for String {
    fn form(&'a self) -> &'a str {
        self
    }
}

impl Form<'_, String> for &str {
    fn form(&self) -> String {
        String::from(*self)
    }
}

impl<'a> Form<'a, &'a [u8]> for Vec<u8> {
    fn form(&'a self) -> &'a [u8] {
        self
    }
}

impl Form<'_, Vec<u8>> for &[u8] {
    fn form(&self) -> Vec<u8> {
        self.to_vec()
    }
}

impl<'a, T: Number> Form<'a, Cow<'a, [T]>> for Vec<T> {
    fn form(&'a self) -> Cow<'a, [T]> {
        Cow::Borrowed(self)
    }
}

impl<T: Number> Form<'_, Vec<T>> for Cow<'_, [T]> {
    fn form(&self) -> Vec<T> {
        self.to_vec()
    }
}

impl<'a, T: Form<'a, U>, U> Form<'a, Vec<U>> for Vec<T> {
    fn form(&'a self) -> Vec<U> {
        self.iter().map(T::form).collect()
    }
}

impl<'a, T: Form<'a, U>, U, const N: usize> Form<'a, [U; N]> for [T; N] {
    fn form(&'a self) -> [U; N] {
        core::array::from_fn(|i| self[i].form())
    }

    // An array is large there, so it must not pass over the stack.
    fn boxed_form(&'a self) -> Box<[U; N]> {
        boxed_array(|i| self[i].form())
    }
}

impl<'a, T: Form<'a, U>, U> Form<'a, Box<U>> for Box<T> {
    fn form(&'a self) -> Box<U> {
        (**self).boxed_form()
    }
}

impl<'a, T: Form<'a, U>, U> Form<'a, Option<U>> for Option<T> {
    fn form(&'a self) -> Option<U> {
        self.as_ref().map(T::form)
    }
}

impl<'a, K: Form<'a, L>, V: Form<'a, W>, L: Ord, W> Form<'a, BTreeMap<L, W>> for BTreeMap<K, V> {
    fn form(&'a self) -> BTreeMap<L, W> {
        let entries = self.iter().map(|(key, value)| (key.form(), value.form()));
        entries.collect()
    }
}

/// A declared type that has one form.
#[doc(hidden)]
#[macro_export]
macro_rules! __plain_form {
    ($type:ty) => {
        impl $crate::wire::Form<'_, $type> for $type {
            fn form(&self) -> $type {
                ::core::clone::Clone::clone(self)
            }
        }
    };
}

/// How the owned and the borrowed form of a struct or message are made of each other.
#[doc(hidden)]
#[macro_export]
macro_rules! __record_forms {
    ($own:ident, $borrowed:ident { $($field:ident,)* $(..$marker:ident)? }) => {
        $crate::__forms!($own, $borrowed, |value| {
            $borrowed {
                $($field: $crate::wire::Form::form(&value.$field),)*
                $($marker: ::core::marker::PhantomData,)?
            }
        }, |value| {
            $own { $($field: $crate::wire::Form::form(&value.$field),)* }
        });
    };
}

/// How the owned and the borrowed form of a union are made of each other.
#[doc(hidden)]
#[macro_export]
macro_rules! __union_forms {
    ($own:ident, $borrowed:ident { $($variant:ident $(($payload:ident))?,)* $(..$unknown:ident)? }) => {
        $crate::__forms!($own, $borrowed, |value| {
            $crate::__union_forms!(match value, $own, $borrowed {
                $($variant $(($payload))?,)* $(..$unknown)?
            })
        }, |value| {
            $crate::__union_forms!(match value, $borrowed, $own {
                $($variant $(($payload))?,)* $(..$unknown)?
            })
        });
    };
    (match $value:ident, $from:ident, $to:ident {
        $($variant:ident $(($payload:ident))?,)* $(..$unknown:ident)?
    }) => {
        match $value {
            $($from::$variant $(($payload))? => {
                $to::$variant $(($crate::wire::Form::form($payload)))?
            })*
            $($from::$unknown { tag, payload } => $to::$unknown {
                tag: *tag,
                payload: $crate::wire::Form::form(payload),
            },)?
        }
    };
}

/// How two forms are made of each other.
#[doc(hidden)]
#[macro_export]
macro_rules! __forms {
    ($own:ident, $borrowed:ident, |$lent:ident| $lend:expr, |$copied:ident| $copy:expr) => {
        impl<'a> ::core::convert::From<&'a $own> for $borrowed<'a> {
            #[inline]
            fn from($lent: &'a $own) -> Self {
                $lend
            }
        }

        impl ::core::convert::From<&$borrowed<'_>> for $own {
            #[inline]
            fn from($copied: &$borrowed<'_>) -> Self {
                $copy
            }
        }

        impl ::core::convert::From<$borrowed<'_>> for $own {
            #[inline]
            fn from(value: $borrowed<'_>) -> Self {
                Self::from(&value)
            }
        }

        impl<'a> $crate::wire::Form<'a, $borrowed<'a>> for $own {
            #[inline]
            fn form(&'a self) -> $borrowed<'a> {
                ::core::convert::From::from(self)
            }
        }

        impl $crate::wire::Form<'_, $own> for $borrowed<'_> {
            #[inline]
            fn form(&self) -> $own {
                ::core::convert::From::from(self)
            }
        }

        impl $crate::Borrowed for $borrowed<'static> {
            type Of<'a> = $borrowed<'a>;

            #[inline]
            fn shorten<'short, 'long: 'short>(
                value: &'short $borrowed<'long>,
            ) -> &'short $borrowed<'short> {
                value
            }
        }
    };
}
