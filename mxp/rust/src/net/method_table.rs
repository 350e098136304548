//! A table of methods, which has a bound, since peers and users can name any.

use std::collections::BTreeMap;
use std::string::String;
use std::sync::{PoisonError, RwLock};
use std::vec::Vec;

/// How many methods are told apart. Others are one.
pub(crate) const METHODS: usize = 1024;

/// Something for each method, of the first that there are.
pub(crate) struct MethodTable<T>(RwLock<Entries<T>>);

struct Entries<T> {
    /// By the numbers of methods, which few services share.
    of: BTreeMap<u16, Vec<(String, T)>>,
    all: usize,
}

impl<T> Default for MethodTable<T> {
    fn default() -> Self {
        let (of, all) = (BTreeMap::new(), 0);
        Self(RwLock::new(Entries { of, all }))
    }
}

impl<T: Clone> MethodTable<T> {
    /// That of a method: it is made where there is none, and there are not too many.
    pub(crate) fn get(&self, service: &str, number: u16, make: impl FnOnce() -> T) -> Option<T> {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = entries.find(service, number) {
            return Some(found.clone());
        }
        drop(entries);
        self.add(service, number, make)
    }

    #[cold]
    fn add(&self, service: &str, number: u16, make: impl FnOnce() -> T) -> Option<T> {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = entries.find(service, number) {
            return Some(found.clone());
        }
        if entries.all == METHODS {
            return None;
        }
        let kept = make();
        entries.all += 1;
        let same = entries.of.entry(number).or_default();
        same.push((service.into(), kept.clone()));
        Some(kept)
    }

    /// Looks at all, with the names of their services.
    #[cfg(feature = "tokio")]
    pub(crate) fn each(&self, mut look: impl FnMut(&str, &T)) {
        let entries = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for (service, one) in entries.of.values().flatten() {
            look(service, one);
        }
    }
}

impl<T> Entries<T> {
    fn find(&self, service: &str, number: u16) -> Option<&T> {
        let mut same = self.of.get(&number)?.iter();
        same.find_map(|(name, entry)| (name == service).then_some(entry))
    }
}
