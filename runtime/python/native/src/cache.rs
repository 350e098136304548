//! Objects that were read lately and come again: short texts, and floats.
//!
//! A place is chosen by a hash of the bytes, and holds the last object there, so that a cache never grows.

use crate::python::{float, text, Object, Outcome};
use std::cell::RefCell;

/// The longest text that is kept.
const SHORT: usize = 15;

/// How many objects a cache keeps.
const PLACES: usize = 512;

/// Objects by keys of 16 bytes.
struct Places<K>(Box<[Option<(K, Object)>]>);

impl<K: PartialEq + Copy> Places<K> {
    fn new() -> Places<K> {
        Places((0..PLACES).map(|_| None).collect())
    }

    /// The object of a key, whose hash has its best bits in front.
    #[inline]
    fn find(
        &mut self,
        key: K,
        hash: u64,
        make: impl FnOnce() -> Outcome<Object>,
    ) -> Outcome<Object> {
        let place = &mut self.0[(hash >> 55) as usize % PLACES];
        if let Some((found, object)) = place {
            if *found == key {
                return Ok(object.clone());
            }
        }
        let object = make()?;
        *place = Some((key, object.clone()));
        Ok(object)
    }
}

/// The caches of a program.
pub(crate) struct Cache {
    texts: RefCell<Places<(u64, u64)>>,
    floats: RefCell<Places<u64>>,
}

impl Cache {
    pub(crate) fn new() -> Cache {
        Cache {
            texts: RefCell::new(Places::new()),
            floats: RefCell::new(Places::new()),
        }
    }

    /// The `str` of bytes that are UTF-8.
    #[inline]
    pub(crate) fn text(&self, data: &[u8]) -> Outcome<Object> {
        if data.len() > SHORT {
            return text(data);
        }
        let (low, high) = key(data);
        let hash = (low ^ high.rotate_left(29)).wrapping_mul(FACTOR);
        self.texts
            .borrow_mut()
            .find((low, high), hash, || text(data))
    }

    /// The float of a number, with all its bits.
    #[inline]
    pub(crate) fn float(&self, number: f64) -> Outcome<Object> {
        let bits = number.to_bits();
        self.floats
            .borrow_mut()
            .find(bits, bits.wrapping_mul(FACTOR), || float(number))
    }
}

/// An odd number whose bits look random: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// All bytes of a text of 15 at most, and its length, as two numbers. Reads may overlap.
#[inline]
fn key(data: &[u8]) -> (u64, u64) {
    let length = data.len() as u64;
    if let (Some(head), Some(tail)) = (data.first_chunk::<8>(), data.last_chunk::<8>()) {
        // The first byte of the tail is one of the head's, too: its place takes the length.
        return (
            u64::from_le_bytes(*head),
            u64::from_le_bytes(*tail) & !0xFF | length,
        );
    }
    if let (Some(head), Some(tail)) = (data.first_chunk::<4>(), data.last_chunk::<4>()) {
        return (
            u64::from(u32::from_le_bytes(*head)) << 32 | u64::from(u32::from_le_bytes(*tail)),
            length,
        );
    }
    (
        data.iter().fold(0, |key, byte| key << 8 | u64::from(*byte)),
        length,
    )
}
