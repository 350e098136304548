//! Things by message id, of which nearly each new one is the greatest.

use alloc::collections::VecDeque;

/// How many gaps there may be besides as many as there are things.
const GAPS: usize = 16;

/// For how many things memory is kept while there are none.
const SPARE: usize = 256;

/// Things in the order of their ids, which ascend. A removed thing leaves a gap until all things
/// before it are gone too, or gaps are too many.
#[derive(Debug)]
pub(crate) struct Ring<T> {
    places: VecDeque<(u64, Option<T>)>,
    len: usize,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self {
            places: VecDeque::new(),
            len: 0,
        }
    }
}

impl<T> Ring<T> {
    /// How many things there are.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// All things, in ascending order of ids.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.places.iter().filter_map(|(_, thing)| thing.as_ref())
    }

    /// Adds a thing, whose id is greater than all before it.
    #[inline]
    pub(crate) fn insert(&mut self, id: u64, thing: T) {
        if self.places.len() >= 2 * self.len + GAPS {
            self.places.retain(|(_, place)| place.is_some());
        }
        self.len += 1;
        self.places.push_back((id, Some(thing)));
    }

    /// Adds a thing, or replaces that of the same id, which may be less than others.
    #[cfg(feature = "bytes")]
    pub(crate) fn put(&mut self, id: u64, thing: T) {
        if self.places.back().map_or(true, |(last, _)| *last < id) {
            return self.insert(id, thing);
        }
        match self.places.binary_search_by_key(&id, |&(id, _)| id) {
            Ok(at) => {
                self.len += usize::from(self.places[at].1.is_none());
                self.places[at].1 = Some(thing);
            }
            Err(at) => {
                self.len += 1;
                self.places.insert(at, (id, Some(thing)));
            }
        }
    }

    #[cfg(feature = "bytes")]
    pub(crate) fn get(&self, id: u64) -> Option<&T> {
        self.places.get(self.find(id)?)?.1.as_ref()
    }

    /// All things that there are, with their ids, in ascending order of these.
    #[cfg(feature = "bytes")]
    pub(crate) fn entries(&self) -> impl Iterator<Item = (u64, &T)> {
        let places = self.places.iter();
        places.filter_map(|(id, thing)| Some((*id, thing.as_ref()?)))
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: u64) -> Option<&mut T> {
        let at = self.find(id)?;
        self.places.get_mut(at)?.1.as_mut()
    }

    #[inline]
    pub(crate) fn remove(&mut self, id: u64) -> Option<T> {
        let at = self.find(id)?;
        let thing = self.places.get_mut(at)?.1.take()?;
        self.len -= 1;
        while let Some((_, None)) = self.places.front() {
            self.places.pop_front();
        }
        if self.places.is_empty() && self.places.capacity() > SPARE {
            self.places = VecDeque::new();
        }
        Some(thing)
    }

    /// Empties the ring, in ascending order of ids.
    pub(crate) fn take_all(self) -> impl Iterator<Item = (u64, T)> {
        let places = self.places.into_iter();
        places.filter_map(|(id, thing)| Some((id, thing?)))
    }

    /// Gives back the memory that nothing needs.
    pub(crate) fn rest(&mut self) {
        if self.len == 0 {
            self.places = VecDeque::new();
        }
    }

    /// The place of a thing, or its gap.
    #[inline]
    fn find(&self, id: u64) -> Option<usize> {
        // Ids of one side are 2 apart: without gaps this is the place, or it is the last.
        let first = self.places.front()?.0;
        let at = usize::try_from(id.checked_sub(first)? / 2).unwrap_or(usize::MAX);
        let at = at.min(self.places.len() - 1);
        if self.places.get(at).is_some_and(|(place, _)| *place == id) {
            return Some(at);
        }
        self.places.binary_search_by_key(&id, |&(id, _)| id).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_found_by_their_ids_whatever_is_gone() {
        let mut ring = Ring::default();
        for id in (1..2000).step_by(2).filter(|id| id % 5 > 0) {
            ring.insert(id, id);
            if id % 3 == 0 {
                assert_eq!(ring.remove(id), Some(id));
            }
        }
        let is_there = |id: u64| id % 2 == 1 && id % 5 > 0 && id % 3 > 0;
        for id in 0..2100 {
            let found = ring.get_mut(id).copied();
            assert_eq!(found, (id < 2000 && is_there(id)).then_some(id), "{id}");
        }
        assert_eq!(ring.iter().count(), ring.len());
        assert!(ring.places.len() <= 2 * ring.len() + GAPS);
        // A thing that stays keeps few gaps behind it.
        while ring.len() > 1 {
            let last = ring.iter().max().copied();
            assert!(ring.remove(last.unwrap()).is_some());
        }
        for id in (2001..9001).step_by(2) {
            ring.insert(id, id);
            assert_eq!(ring.remove(id), Some(id));
            assert!(ring.places.len() <= GAPS + 3);
        }
        assert_eq!(ring.take_all().collect::<alloc::vec::Vec<_>>(), [(1, 1)]);
    }

    #[cfg(feature = "bytes")]
    #[test]
    fn things_may_be_put_in_any_order() {
        let mut ring = Ring::default();
        for id in [9, 3, 5, 3, 11, 7, 5] {
            ring.put(id, id);
            assert_eq!(ring.get(id), Some(&id));
        }
        assert_eq!(ring.remove(7), Some(7));
        ring.put(7, 70);
        assert_eq!(ring.len(), 5);
        let all = ring.entries().map(|(_, thing)| *thing);
        assert!(all.eq([3, 5, 70, 9, 11]) && ring.get(8).is_none());
    }
}
