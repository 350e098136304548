//! Functions for validators of views, besides the functions of decoders.

#![allow(
    clippy::must_use_candidate,
    reason = "a validator wants to know only whether it may go on"
)]

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::codec::Decode;
use crate::decoder::{all_valid, array, array_in_box, take, Decoder};
use crate::shape::boxed_array;
use crate::Fixed;

impl Decoder {
    /// Validates a list of elements of fixed size.
    #[inline(always)]
    pub fn items<const WIDTH: usize, T: Fixed>(
        &mut self,
        s: &mut &[u8],
        max: usize,
        depth: usize,
    ) -> Option<()> {
        let n = self.count::<WIDTH>(s, max, T::SIZE)?;
        self.charge::<T>(n, depth)?;
        all_valid::<T>(take(s, n.checked_mul(T::SIZE)?)?)
    }
}

/// Validates a part of a declared type.
#[inline(always)]
pub fn part_of<'a, V: Decode<'a>>(d: &mut Decoder, s: &mut &'a [u8], depth: usize) -> Option<V> {
    V::sdp_decode(d, s, depth)
}

/// Refuses a key that isn't greater than the key before it.
#[inline(always)]
pub fn follows<K: Ord>(last: &mut Option<K>, key: K) -> Option<()> {
    if last.as_ref().is_some_and(|last| *last >= key) {
        return None;
    }
    *last = Some(key);
    Some(())
}

/// An array of elements that a view handed out, of which there are always enough.
pub fn array_or<T, const N: usize>(items: Vec<T>, zero: impl FnMut(usize) -> T) -> [T; N] {
    array(items).unwrap_or_else(|| core::array::from_fn(zero))
}

/// [`array_or`] in memory of its own.
pub fn array_in_box_or<T, const N: usize>(
    items: Vec<T>,
    zero: impl FnMut(usize) -> T,
) -> Box<[T; N]> {
    array_in_box(items).unwrap_or_else(|| boxed_array(zero))
}
