//! Reads encodings. Decoders only say whether the bytes are a value; which rule
//! was broken where, a second walk over the bytes tells.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::size_of;

use crate::memory::{self, Number};
use crate::{DecodeOptions, Fixed};

/// The cost of an entry of a map, in sizes of an entry: the list it is read
/// into, the scratch of the sort that the map makes of it, and a node.
pub const MAP_ENTRY_FACTOR: usize = 3;

/// The memory that one decode may take beyond its share of the bytes.
const MEMORY_CONSTANT: usize = 32 << 10;

/// The budgets of one decode.
pub struct Decoder {
    /// The deepest level that is let in.
    pub depth: usize,
    /// Whether messages must have all known segments, and no others.
    pub exact: bool,
    elements: usize,
    memory: usize,
    /// The address behind the item that asked for too much memory; 0 if the whole
    /// input did.
    pub(crate) starved: Option<usize>,
    /// Whether the memory is bounded by the type's share of the bytes, and not by the
    /// caller's limit. No value needs more than this share, so that an input that asks for more is
    /// refused for another fault.
    pub(crate) is_share: bool,
}

impl Decoder {
    /// Budgets for `n` bytes of a type whose values take at most `factor` times
    /// their bytes; 0 is for what allocates nothing. The bytes of strings and blobs
    /// are paid for at once, with all others: together they are at most `n`.
    #[inline]
    #[must_use]
    pub fn new(n: usize, factor: usize, options: &DecodeOptions) -> Self {
        let most = n.saturating_mul(factor).saturating_add(MEMORY_CONSTANT);
        let paid = if factor == 0 { 0 } else { n };
        let memory = options.limits.memory_bytes.min(most).checked_sub(paid);
        Self {
            depth: options.limits.depth,
            exact: options.exact,
            elements: options.limits.elements,
            memory: memory.unwrap_or(0),
            starved: if memory.is_none() { Some(0) } else { None },
            is_share: most < options.limits.memory_bytes,
        }
    }

    /// Enters an aggregate.
    #[inline(always)]
    #[must_use]
    pub fn enter(&self, depth: usize) -> Option<()> {
        if depth > self.depth {
            return None;
        }
        Some(())
    }

    /// Takes elements from their budget.
    #[inline(always)]
    pub fn elements(&mut self, n: usize) -> Option<()> {
        self.elements = self.elements.checked_sub(n)?;
        Some(())
    }

    /// Takes memory from its budget; `rest` is the input behind the item that asks.
    #[inline(always)]
    pub fn memory(&mut self, n: usize, rest: &[u8]) -> Option<()> {
        match self.memory.checked_sub(n) {
            Some(left) => {
                self.memory = left;
                Some(())
            }
            None => self.starve(rest),
        }
    }

    #[cold]
    fn starve(&mut self, rest: &[u8]) -> Option<()> {
        self.starved = Some(rest.as_ptr() as usize);
        None
    }

    /// A message's body ends before a segment that this reader knows.
    #[inline(always)]
    #[must_use]
    pub fn missing(&self) -> Option<()> {
        if self.exact {
            return None;
        }
        Some(())
    }

    /// Takes what follows the segments that this reader knows.
    #[inline(always)]
    pub fn tail<'a>(&self, s: &mut &'a [u8]) -> Option<&'a [u8]> {
        if self.exact && !s.is_empty() {
            return None;
        }
        Some(core::mem::take(s))
    }

    /// Reads a count of elements that take at least `least` bytes each on the
    /// wire, and charges for them.
    #[inline(always)]
    pub fn count<const WIDTH: usize>(
        &mut self,
        s: &mut &[u8],
        max: usize,
        least: usize,
    ) -> Option<usize> {
        let n = length::<WIDTH>(s, max)?;
        if n.checked_mul(least)? > s.len() {
            return None;
        }
        self.elements(n)?;
        Some(n)
    }

    /// An empty list with room for `n` elements.
    #[inline(always)]
    pub fn list<T>(&mut self, n: usize, s: &[u8]) -> Option<Vec<T>> {
        self.memory(n.checked_mul(size_of::<T>())?, s)?;
        Some(Vec::with_capacity(n))
    }

    /// Reads a list of elements of fixed size.
    #[inline]
    pub fn fixed_list<const WIDTH: usize, T: Fixed>(
        &mut self,
        s: &mut &[u8],
        max: usize,
        depth: usize,
    ) -> Option<Vec<T>> {
        let n = self.count::<WIDTH>(s, max, T::SIZE)?;
        self.charge::<T>(n, depth)?;
        self.memory(n.checked_mul(size_of::<T>())?, s)?;
        let bytes = take(s, n.checked_mul(T::SIZE)?)?;
        all_valid::<T>(bytes)?;
        Some(listed(bytes))
    }

    /// Reads a list of elements of fixed size into one that is there.
    #[inline]
    pub fn fixed_list_into<const WIDTH: usize, T: Fixed>(
        &mut self,
        list: &mut Vec<T>,
        s: &mut &[u8],
        max: usize,
        depth: usize,
    ) -> Option<()> {
        let n = self.count::<WIDTH>(s, max, T::SIZE)?;
        self.charge::<T>(n, depth)?;
        self.memory(n.checked_mul(size_of::<T>())?, s)?;
        let bytes = take(s, n.checked_mul(T::SIZE)?)?;
        all_valid::<T>(bytes)?;
        list.clear();
        T::sdp_extend(list, bytes);
        Some(())
    }

    /// Reads a list of numbers: where they lie if this machine can read them there,
    /// else copied.
    #[inline]
    pub fn numbers<'a, const WIDTH: usize, T: Fixed + Number>(
        &mut self,
        s: &mut &'a [u8],
        max: usize,
    ) -> Option<Cow<'a, [T]>> {
        let n = self.count::<WIDTH>(s, max, T::SIZE)?;
        let bytes = take(s, n.checked_mul(T::SIZE)?)?;
        if let Some(numbers) = memory::numbers(bytes) {
            return Some(Cow::Borrowed(numbers));
        }
        self.memory(bytes.len(), s)?;
        Some(Cow::Owned(listed(bytes)))
    }

    /// Makes the checks of `n` elements of fixed size.
    #[inline(always)]
    pub(crate) fn charge<T: Fixed>(&mut self, n: usize, depth: usize) -> Option<()> {
        if T::LEVELS > 0 && n > 0 {
            self.enter(depth + T::LEVELS)?;
        }
        if T::ELEMENTS > 0 {
            self.elements(n.checked_mul(T::ELEMENTS)?)?;
        }
        Some(())
    }

    /// An empty list for a map's entries.
    #[inline]
    pub fn entries<K, V>(&mut self, n: usize, s: &[u8]) -> Option<Vec<(K, V)>> {
        let cost = n.checked_mul(size_of::<(K, V)>())?;
        self.memory(cost.checked_mul(MAP_ENTRY_FACTOR)?, s)?;
        Some(Vec::with_capacity(n))
    }

    /// Reads an array of elements of fixed size that is too large for the stack.
    #[inline]
    pub fn boxed_array<T: Fixed, const N: usize>(&mut self, s: &mut &[u8]) -> Option<Box<[T; N]>> {
        self.memory(N.checked_mul(size_of::<T>())?, s)?;
        let bytes = take(s, N.checked_mul(T::SIZE)?)?;
        all_valid::<T>(bytes)?;
        listed(bytes).into_boxed_slice().try_into().ok()
    }

    /// Puts a value into memory of its own.
    #[inline(always)]
    pub fn boxed<T>(&mut self, s: &[u8]) -> Option<()> {
        self.memory(size_of::<T>(), s)
    }
}

/// Reads an array of elements of fixed size into one that is there.
#[inline]
pub fn array_into<T: Fixed, const N: usize>(array: &mut [T; N], s: &mut &[u8]) -> Option<()> {
    let bytes = take(s, N.checked_mul(T::SIZE)?)?;
    all_valid::<T>(bytes)?;
    T::sdp_fill(array, bytes);
    Some(())
}

/// The values of bytes that are valid.
#[inline]
fn listed<T: Fixed>(bytes: &[u8]) -> Vec<T> {
    let mut list = Vec::with_capacity(bytes.len() / T::SIZE);
    T::sdp_extend(&mut list, bytes);
    list
}

/// Gives a list that is there `n` elements, which are then decoded into.
#[inline]
pub fn resize<T: Default>(d: &mut Decoder, list: &mut Vec<T>, n: usize, s: &[u8]) -> Option<()> {
    d.memory(n.checked_mul(size_of::<T>())?, s)?;
    list.truncate(n);
    list.reserve_exact(n - list.len());
    list.resize_with(n, T::default);
    Some(())
}

/// Reports whether all elements of fixed size are valid.
#[inline(always)]
#[must_use]
pub fn all_valid<T: Fixed>(bytes: &[u8]) -> Option<()> {
    if !T::sdp_all_valid(bytes) {
        return None;
    }
    Some(())
}

/// Takes `n` bytes from the front.
#[inline(always)]
pub fn take<'a>(s: &mut &'a [u8], n: usize) -> Option<&'a [u8]> {
    let (front, rest) = s.split_at_checked(n)?;
    *s = rest;
    Some(front)
}

/// Takes a run of `N` bytes.
#[inline(always)]
pub fn run<'a, const N: usize>(s: &mut &'a [u8]) -> Option<&'a [u8; N]> {
    let (front, rest) = s.split_first_chunk()?;
    *s = rest;
    Some(front)
}

/// No bound but that of the width.
pub const ANY: usize = usize::MAX;

/// Reads one value of fixed size.
#[inline(always)]
pub fn fixed<T: Fixed>(s: &mut &[u8]) -> Option<T> {
    let bytes = take(s, T::SIZE)?;
    if T::CHECKED && !T::sdp_valid(bytes) {
        return None;
    }
    Some(T::sdp_from(bytes))
}

/// Reads a length of `WIDTH` bytes that is at most `max`. It is not compared with the number of
/// bytes left.
#[inline(always)]
pub fn length<const WIDTH: usize>(s: &mut &[u8], max: usize) -> Option<usize> {
    let n = match WIDTH {
        1 => usize::from(fixed::<u8>(s)?),
        2 => usize::from(fixed::<u16>(s)?),
        _ => usize::try_from(fixed::<u32>(s)?).ok()?,
    };
    if n > max {
        return None;
    }
    Some(n)
}

/// Reads a length and as many bytes.
#[inline(always)]
pub fn bytes<'a, const WIDTH: usize>(s: &mut &'a [u8], max: usize) -> Option<&'a [u8]> {
    let n = length::<WIDTH>(s, max)?;
    take(s, n)
}

/// Reads a length and a string.
#[inline(always)]
pub fn text<'a, const WIDTH: usize>(s: &mut &'a [u8], max: usize) -> Option<&'a str> {
    let n = length::<WIDTH>(s, max)?;
    memory::take_text(s, n)
}

/// Reads a presence byte.
#[inline(always)]
pub fn present(s: &mut &[u8]) -> Option<bool> {
    fixed::<bool>(s)
}

/// Reads the u32 length of a window and takes the window.
#[inline(always)]
pub fn window<'a>(s: &mut &'a [u8]) -> Option<&'a [u8]> {
    bytes::<4>(s, usize::MAX)
}

/// A string in memory of its own.
#[inline(always)]
#[must_use]
pub fn string(text: &str) -> String {
    memory::string(text)
}

/// Makes a string equal to another, in its own memory if that suffices.
#[inline(always)]
pub fn assign(string: &mut String, text: &str) {
    memory::assign(string, text);
}

/// Makes a vector of bytes equal to others, in its own memory if that suffices.
#[inline]
pub fn assign_bytes(vec: &mut Vec<u8>, bytes: &[u8]) {
    if bytes.len() > vec.capacity() {
        *vec = bytes.into();
    } else {
        vec.clear();
        vec.extend_from_slice(bytes);
    }
}

/// A map of entries that were read in order.
#[inline]
#[must_use]
pub fn map<K: Ord, V>(entries: Vec<(K, V)>) -> BTreeMap<K, V> {
    entries.into_iter().collect()
}

/// Reports whether a key may follow the entries before it.
#[inline(always)]
pub fn ascending<K: Ord, V>(entries: &[(K, V)], key: &K) -> Option<()> {
    match entries.last() {
        Some((last, _)) if last >= key => None,
        _ => Some(()),
    }
}

/// An array of elements that were read one by one.
#[inline]
#[must_use]
pub fn array<T, const N: usize>(items: Vec<T>) -> Option<[T; N]> {
    items.try_into().ok()
}

/// An array in memory of its own.
#[inline]
#[must_use]
pub fn array_in_box<T, const N: usize>(items: Vec<T>) -> Option<Box<[T; N]>> {
    items.into_boxed_slice().try_into().ok()
}
