//! Short words for generated types that the standard library does not have.

#![allow(
    clippy::missing_errors_doc,
    reason = "generated code is the only caller, and says what users may get"
)]

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Shows an alternative and what it holds.
pub fn debug_variant(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    value: &dyn fmt::Debug,
) -> fmt::Result {
    f.debug_tuple(name).field(value).finish()
}

/// Shows an alternative that has no name.
pub fn debug_unknown(f: &mut fmt::Formatter<'_>, tag: u8, payload: &[u8]) -> fmt::Result {
    f.debug_struct("Unknown")
        .field("tag", &tag)
        .field("payload", &payload)
        .finish()
}

/// An array in memory of its own, each element made from its index.
#[must_use]
pub fn boxed_array<T, const N: usize>(mut element: impl FnMut(usize) -> T) -> Box<[T; N]> {
    let items: Vec<T> = (0..N).map(&mut element).collect();
    match items.into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the list has N elements"),
    }
}
