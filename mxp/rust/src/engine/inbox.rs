//! The chunks that came on a stream.

use alloc::collections::VecDeque;
use alloc::vec::Vec;

use crate::session::{Grant, Records};

/// From how many bytes on a value that came alone has memory of its own.
const LONG_BYTES: usize = 256;

/// How much memory for short values is kept while there are none.
const SPARE_BYTES: usize = 128 << 10;

/// How many places of values that were taken are kept.
const SPARE_PLACES: usize = 1024;

/// The bytes of a short value's length before it.
const LENGTH_BYTES: usize = 2;

/// Values of chunks, with the number of each that requires an acknowledgement. Short values lie one
/// behind the other, each behind its length, as in a batch: so the values of a batch are copied at
/// once, and an empty chunk takes two bytes.
#[derive(Default)]
pub(crate) struct Inbox {
    stored: Backlog,
    taken: Progress,
}

/// The values that came, and have not all been taken.
#[derive(Default)]
struct Backlog {
    chunks: u64,
    short: Vec<u8>,
    /// Long values, each behind its place among all.
    long: VecDeque<(u64, Vec<u8>)>,
    /// The numbers of chunks to be acknowledged, each behind its place among all.
    acks: VecDeque<(u64, u64)>,
}

/// How many of the values were taken.
#[derive(Default)]
struct Progress {
    chunks: u64,
    /// Bytes of the short ones.
    short: usize,
    long: usize,
    acks: usize,
}

/// A value that was taken.
pub(crate) enum InboxItem<'a> {
    Short(&'a [u8]),
    Long(Vec<u8>),
}

impl InboxItem<'_> {
    pub(crate) fn as_slice(&self) -> &[u8] {
        match self {
            Self::Short(value) => value,
            Self::Long(value) => value,
        }
    }

    #[inline]
    pub(crate) fn into_vec(self) -> Vec<u8> {
        match self {
            Self::Short(value) => value.to_vec(),
            Self::Long(value) => value,
        }
    }
}

impl Inbox {
    /// How many values are left.
    pub(crate) const fn len(&self) -> u64 {
        self.stored.chunks - self.taken.chunks
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, value: &[u8], ack: Option<u64>) {
        self.tidy();
        let stored = &mut self.stored;
        match u16::try_from(value.len()) {
            Ok(n) if value.len() < LONG_BYTES => {
                stored.short.extend_from_slice(&n.to_le_bytes());
                stored.short.extend_from_slice(value);
            }
            _ => stored.long.push_back((stored.chunks, value.to_vec())),
        }
        stored.acks.extend(ack.map(|ack| (stored.chunks, ack)));
        stored.chunks += 1;
    }

    /// Adds the values of a batch, the last of which may require an acknowledgement.
    pub(crate) fn push_all(&mut self, records: Records<'_>, ack: Option<u64>) {
        self.tidy();
        let stored = &mut self.stored;
        stored.short.extend_from_slice(records.data());
        stored.chunks += records.len() as u64;
        stored.acks.extend(ack.map(|ack| (stored.chunks - 1, ack)));
    }

    /// Takes the first value. The number is that of a chunk to be acknowledged.
    pub(crate) fn pop(&mut self) -> Option<(InboxItem<'_>, Option<u64>)> {
        let Self { stored, taken } = self;
        let ack = stored.ack(taken);
        let place = taken.chunks;
        if let Some((_, value)) = stored
            .long
            .get_mut(taken.long)
            .filter(|(chunk, _)| *chunk == place)
        {
            taken.chunks += 1;
            taken.long += 1;
            return Some((InboxItem::Long(core::mem::take(value)), ack));
        }
        stored
            .next(taken)
            .map(|value| (InboxItem::Short(value), ack))
    }

    /// Takes all values, and returns their sum and the last number to acknowledge.
    pub(crate) fn clear(&mut self) -> (Grant, Option<u64>) {
        let mut all = Grant::default();
        let mut chunks = self.chunks();
        for value in &mut chunks {
            all.add(value);
        }
        let ack = chunks.ack;
        *self = Self::default();
        (all, ack)
    }

    /// The values that are left. Iteration takes them.
    pub(crate) fn chunks(&mut self) -> Chunks<'_> {
        Chunks {
            stored: &self.stored,
            taken: &mut self.taken,
            ack: None,
        }
    }

    /// Moves what another has behind what this has.
    pub(crate) fn append(&mut self, source: &mut Self) {
        self.tidy();
        let mut ack_places = core::mem::take(&mut source.stored.acks);
        let taken = &source.taken;
        ack_places.drain(..taken.acks);
        let from = self.stored.chunks;
        let moved = |place: u64| from + (place - taken.chunks);
        let acks = ack_places
            .into_iter()
            .map(|(place, ack)| (moved(place), ack));
        self.stored.acks.extend(acks);
        let long = source.stored.long.drain(..).skip(taken.long);
        let long = long.map(|(place, value)| (moved(place), value));
        self.stored.long.extend(long);
        let short = source.stored.short.get(taken.short..).unwrap_or_default();
        self.stored.short.extend_from_slice(short);
        self.stored.chunks += source.len();
        *source = Self::default();
    }

    /// Frees the memory of taken values, where that costs little.
    fn tidy(&mut self) {
        let Self { stored, taken } = self;
        if stored.chunks == taken.chunks && stored.chunks > 0 {
            stored.short.clear();
            stored.short.shrink_to(SPARE_BYTES);
            stored.long.clear();
            stored.acks.clear();
            stored.chunks = 0;
            *taken = Progress::default();
            return;
        }
        if taken.short > SPARE_BYTES && taken.short > stored.short.len() / 2 {
            stored.short.drain(..taken.short);
            taken.short = 0;
        }
        if taken.long > SPARE_PLACES {
            stored.long.drain(..taken.long);
            taken.long = 0;
        }
        if taken.acks > SPARE_PLACES {
            stored.acks.drain(..taken.acks);
            taken.acks = 0;
        }
    }
}

impl Backlog {
    /// The number of the next value, if that is to be acknowledged.
    #[inline]
    fn ack(&self, batch: &mut Progress) -> Option<u64> {
        let (place, ack) = self.acks.get(batch.acks)?;
        if *place != batch.chunks {
            return None;
        }
        batch.acks += 1;
        Some(*ack)
    }

    /// The next value.
    #[inline]
    fn next(&self, batch: &mut Progress) -> Option<&[u8]> {
        if batch.chunks == self.chunks {
            return None;
        }
        if let Some((place, value)) = self.long.get(batch.long) {
            if *place == batch.chunks {
                batch.chunks += 1;
                batch.long += 1;
                return Some(value);
            }
        }
        let short = self.short.get(batch.short..)?;
        let (length, rest) = short.split_first_chunk()?;
        let value = rest.get(..usize::from(u16::from_le_bytes(*length)))?;
        batch.chunks += 1;
        batch.short += LENGTH_BYTES + value.len();
        Some(value)
    }
}

/// Values that are taken while they lie where they are.
pub(crate) struct Chunks<'a> {
    stored: &'a Backlog,
    taken: &'a mut Progress,
    /// The number of the last that was taken and is to be acknowledged.
    pub(crate) ack: Option<u64>,
}

impl Chunks<'_> {
    /// How many are left.
    pub(crate) const fn len(&self) -> u64 {
        self.stored.chunks - self.taken.chunks
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a [u8];

    #[inline]
    fn next(&mut self) -> Option<&'a [u8]> {
        if let Some(ack) = self.stored.ack(self.taken) {
            self.ack = Some(ack);
        }
        self.stored.next(self.taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pop(inbox: &mut Inbox) -> Option<(Vec<u8>, Option<u64>)> {
        let (value, ack) = inbox.pop()?;
        Some((value.into_vec(), ack))
    }

    #[test]
    fn values_come_out_as_they_went_in() {
        let value = |i: usize| alloc::vec![u8::try_from(i % 251).unwrap(); i * 100 % 901];
        let (mut first, mut second) = (Inbox::default(), Inbox::default());
        for i in 0..40 {
            first.push(&value(i), None);
            second.push(&value(40 + i), Some(i as u64));
        }
        for i in 0..20 {
            assert_eq!(pop(&mut first), Some((value(i), None)));
            assert_eq!(pop(&mut second), Some((value(40 + i), Some(i as u64))));
        }
        first.append(&mut second);
        assert!(second.is_empty() && first.len() == 40);
        for i in 20..40 {
            assert_eq!(pop(&mut first), Some((value(i), None)));
        }
        for i in 60..80 {
            assert_eq!(pop(&mut first), Some((value(i), Some(i as u64 - 40))));
        }
        assert_eq!(pop(&mut first), None);
        first.push(&[], None);
        assert!(first.len() == 1 && first.stored.short.capacity() <= SPARE_BYTES);
    }

    #[test]
    fn a_batch_lies_among_single_values() {
        let mut inbox = Inbox::default();
        inbox.push(&[1; 3], None);
        let batch = [2, 0, 7, 7, 0, 0, 1, 0, 9];
        inbox.push_all(Records::of(3, &batch), Some(4));
        inbox.push(&[2; 300], Some(5));
        let mut chunks = inbox.chunks();
        let taken: Vec<_> = chunks.by_ref().take(3).collect();
        assert_eq!(taken, [&[1, 1, 1][..], &[7, 7], &[]]);
        assert_eq!((chunks.ack, chunks.len()), (None, 2));
        // A value that was not iterated over is still there.
        assert_eq!(pop(&mut inbox), Some((alloc::vec![9], Some(4))));
        let (left, ack) = inbox.clear();
        assert_eq!((left.messages, left.bytes, ack), (1, 300, Some(5)));
        assert!(inbox.is_empty());
    }

    #[test]
    fn what_is_never_empty_has_little_memory() {
        let mut inbox = Inbox::default();
        inbox.push(&[0; 100], None);
        for i in 0..100_000_u64 {
            let n = if i % 7 == 0 { 300 } else { 100 };
            inbox.push(&[1; 300][..n], (i % 5 == 0).then_some(i));
            assert!(inbox.pop().is_some());
        }
        let stored = &inbox.stored;
        assert!(inbox.len() == 1 && stored.short.capacity() <= 4 * SPARE_BYTES);
        assert!(stored.long.len() < 1100 && stored.acks.len() < 1100);
    }
}
