//! Parts of views: bytes that were validated once, read where
//! they lie when they are asked for. Nothing here allocates, and nothing fails.
//!
//! A view's lists are iterators: [`Items`] of values of fixed size, [`List`] of all
//! others, [`Entries`] of maps. Their last parameters are [`Shape`]s, which say how
//! an element lies in the bytes; what comes out of the iterator is the shape's
//! `Item`.

// The end of a value of varying size is only known from its length, which lies where the value
// before it ends: each pass over the bytes is a chain of loads that wait for each other. It takes
// 12 µs on the registry of 62 plugins, whether the passed bytes are used or not. So everything is
// found once: by the validator for the view that it makes, and at its opening for a view within
// another. Reading is a second pass. A list whose elements end in lists would make a third, 10 µs,
// to find the next element, if `List::resume` did not take over where those lists ended.

mod entries;
mod items;
mod list;
mod shapes;
pub(crate) mod valid;
pub(crate) mod valid_bytes;

pub use entries::{Entries, Key};
pub use items::Items;
pub use list::List;
pub use shapes::{
    ArrayOf, Bytes, FixedArrayOf, Framed, ItemsOf, Lazy, ListOf, MapOf, Maybe, Str, Value,
};

/// How a type lies in bytes that are valid. Of other bytes its functions read any
/// value, and empty ones beyond their end.
pub trait Shape {
    /// The type of a value in a view.
    type Item<'a>: core::fmt::Debug;

    /// Whether [`Shape::step`] leaves something to [`Shape::finish`].
    #[doc(hidden)]
    const HAS_TAIL: bool = false;

    /// Reads a value and moves `s` behind it, or only to its tail: a last part that
    /// has to be walked over for its end to be found.
    #[doc(hidden)]
    fn step<'a>(s: &mut &'a [u8]) -> Self::Item<'a>;

    /// Moves `s` from a value's tail behind it.
    #[doc(hidden)]
    #[inline(always)]
    fn finish(s: &mut &[u8]) {
        let _ = s;
    }

    /// Moves `s` behind a value, without a look at what need not be looked at for
    /// that.
    #[doc(hidden)]
    #[inline(always)]
    fn skip(s: &mut &[u8]) {
        Self::step(s);
        Self::finish(s);
    }
}

/// A shape whose tail is a list of elements of varying size, so that who has read
/// that list knows where the value ends.
pub trait EndsInList: Shape {
    /// The shape of that list's elements.
    type Last: Shape;
}
