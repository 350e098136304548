//! Short words for generated types that the standard library does not have.

use alloc::boxed::Box;
use alloc::vec::Vec;

/// An array in memory of its own, each element made from its index.
#[must_use]
pub fn boxed_array<T, const N: usize>(mut element: impl FnMut(usize) -> T) -> Box<[T; N]> {
    let items: Vec<T> = (0..N).map(&mut element).collect();
    match items.into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the list has N elements"),
    }
}
