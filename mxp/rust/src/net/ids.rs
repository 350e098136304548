//! Maps by message id.

use core::hash::{BuildHasher, Hasher};
use std::collections::hash_map::RandomState;
use std::collections::HashMap;

/// A map whose keys are message ids.
pub(crate) type IdMap<T> = HashMap<u64, T, Seed>;

/// A number that peers don't know. They choose ids, but not which of them meet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seed(u64);

impl Default for Seed {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0_u64))
    }
}

impl BuildHasher for Seed {
    type Hasher = IdHasher;

    fn build_hasher(&self) -> IdHasher {
        IdHasher(self.0)
    }
}

/// Multiplies, and folds the product: an id is one number, for which more is too
/// much.
#[derive(Debug)]
pub(crate) struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, id: u64) {
        let product = u128::from(id ^ self.0) * u128::from(self.0 | 1);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are wanted")]
        let folded = product as u64 ^ (product >> 64) as u64;
        self.0 = folded;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
