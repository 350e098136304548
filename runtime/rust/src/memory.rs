//! The only module with unsafe code: writing behind the end of a `Vec`, making
//! strings of bytes that were checked, and reading numbers where they lie. Its
//! functions are safe to call with any arguments.

#![expect(
    unsafe_code,
    reason = "measured: each of these operations is on the path of every field"
)]

use alloc::string::String;
use alloc::vec::Vec;
use core::marker::PhantomData;
use core::mem::{size_of, size_of_val};
use core::ptr;

mod ascii;
mod structs;

pub(crate) use ascii::{take_text, text};

/// Where a [`Tail`] gets more room from.
enum Target<'a> {
    Vec(&'a mut Vec<u8>),
    /// Memory that can't grow.
    Slice(PhantomData<&'a mut [u8]>),
}

/// The free end of a buffer, written from its front.
pub(crate) struct Tail<'a> {
    /// The start of the buffer that `at` and `end` lie in.
    base: *mut u8,
    at: *mut u8,
    end: *mut u8,
    target: Target<'a>,
}

impl<'a> Tail<'a> {
    /// The room behind the bytes of a vector, which grows.
    #[inline]
    pub(crate) fn of_vec(vec: &'a mut Vec<u8>) -> Self {
        let base = vec.as_mut_ptr();
        // SAFETY: the length is at most the capacity, which is the allocated size.
        let (at, end) = unsafe { (base.add(vec.len()), base.add(vec.capacity())) };
        Self {
            base,
            at,
            end,
            target: Target::Vec(vec),
        }
    }

    /// A slice, which does not grow.
    #[inline]
    pub(crate) fn of_slice(slice: &'a mut [u8]) -> Self {
        let range = slice.as_mut_ptr_range();
        Self {
            base: range.start,
            at: range.start,
            end: range.end,
            target: Target::Slice(PhantomData),
        }
    }

    /// How many bytes of the buffer are written, including the bytes that a vector had before this
    /// tail.
    #[inline]
    pub(crate) fn position(&self) -> usize {
        self.at as usize - self.base as usize
    }

    #[inline]
    fn room(&self) -> usize {
        self.end as usize - self.at as usize
    }

    /// Makes room for `n` bytes. It returns false where there is none to make.
    #[inline(always)]
    fn reserve(&mut self, n: usize) -> bool {
        n <= self.room() || self.grow(n)
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, n: usize) -> bool {
        let position = self.position();
        let Target::Vec(vec) = &mut self.target else {
            return false;
        };
        // SAFETY: all bytes before `at` were written, and `at` lies in the buffer.
        unsafe { vec.set_len(position) };
        vec.reserve(n);
        self.base = vec.as_mut_ptr();
        // SAFETY: as in `of_vec`.
        unsafe {
            self.at = self.base.add(position);
            self.end = self.base.add(vec.capacity());
        }
        true
    }

    /// Writes an array of bytes. It returns false if there is no room.
    #[inline(always)]
    pub(crate) fn put<B: Bytes>(&mut self, bytes: &B) -> bool {
        if !self.reserve(size_of::<B>()) {
            return false;
        }
        // SAFETY: there is room for the bytes, which lie elsewhere, since `self` is borrowed.
        unsafe {
            ptr::copy_nonoverlapping(ptr::from_ref(bytes).cast(), self.at, size_of::<B>());
            self.at = self.at.add(size_of::<B>());
        }
        true
    }

    /// Writes a few bytes and then a slice.
    #[inline(always)]
    pub(crate) fn put_with<B: Bytes>(&mut self, bytes: &B, slice: &[u8]) -> bool {
        // A slice is at most isize::MAX long, so that the sum does not overflow.
        if !self.reserve(size_of::<B>() + slice.len()) {
            return false;
        }
        // SAFETY: there is room for both, and both lie elsewhere.
        unsafe {
            ptr::copy_nonoverlapping(ptr::from_ref(bytes).cast(), self.at, size_of::<B>());
            let at = self.at.add(size_of::<B>());
            copy_short(slice.as_ptr(), at, slice.len());
            self.at = at.add(slice.len());
        }
        true
    }

    /// Writes one array of bytes for each element.
    #[inline]
    pub(crate) fn put_each<T, B: Bytes>(&mut self, items: &[T], bytes: impl Fn(&T) -> B) -> bool {
        let Some(n) = items.len().checked_mul(size_of::<B>()) else {
            return false;
        };
        if !self.reserve(n) {
            return false;
        }
        let mut at = self.at;
        for item in items {
            let b = bytes(item);
            // SAFETY: `reserve` made room for as many arrays as there are items.
            unsafe {
                ptr::copy_nonoverlapping(ptr::from_ref(&b).cast(), at, size_of::<B>());
                at = at.add(size_of::<B>());
            }
        }
        self.at = at;
        true
    }

    /// Writes values as they lie in memory.
    #[inline]
    pub(crate) fn put_as_wire<T>(&mut self, values: &[T], _: AsWire<T>) -> bool {
        let n = size_of_val(values);
        if !self.reserve(n) {
            return false;
        }
        // SAFETY: there is room for the bytes, and the values have no padding.
        unsafe {
            ptr::copy_nonoverlapping(values.as_ptr().cast(), self.at, n);
            self.at = self.at.add(n);
        }
        true
    }

    /// Replaces four bytes that were written. It does nothing if they weren't.
    #[inline]
    pub(crate) fn patch(&mut self, position: usize, bytes: [u8; 4]) {
        if self
            .position()
            .checked_sub(4)
            .is_some_and(|last| position <= last)
        {
            // SAFETY: the four bytes lie before `at`.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.base.add(position), 4) };
        }
    }

    /// Ends writing: the length of a vector becomes the number of written bytes.
    #[inline]
    pub(crate) fn finish(self) {
        let position = self.position();
        if let Target::Vec(vec) = self.target {
            // SAFETY: all bytes before `at` were written, and `at` lies in the buffer.
            unsafe { vec.set_len(position) };
        }
    }
}

/// Arrays of bytes, perhaps of arrays: every byte of them is initialised, and any
/// bytes are valid.
///
/// # Safety
///
/// The type has an alignment of 1, no padding, and no invalid bit patterns.
pub unsafe trait Bytes: Copy {}

// SAFETY: an array of bytes is as the trait demands.
unsafe impl<const N: usize> Bytes for [u8; N] {}
// SAFETY: an array of such arrays is so too.
unsafe impl<B: Bytes, const N: usize> Bytes for [B; N] {}

/// An array of bytes as a slice.
#[inline(always)]
pub(crate) fn slice<B: Bytes>(bytes: &B) -> &[u8] {
    // SAFETY: the trait promises that every byte is initialised.
    unsafe { core::slice::from_raw_parts(ptr::from_ref(bytes).cast(), size_of::<B>()) }
}

/// Copies an array of bytes into a larger one. It does nothing if it does not fit.
#[inline(always)]
pub(crate) fn place<B: Bytes, const N: usize>(run: &mut [u8; N], position: usize, bytes: &B) {
    if let Some(part) = run.get_mut(position..position + size_of::<B>()) {
        part.copy_from_slice(slice(bytes));
    }
}

/// Copies `n` bytes. Up to 32 are copied inline, by two words that may overlap.
///
/// # Safety
///
/// Both ranges are valid for `n` bytes and do not overlap.
#[inline(always)]
unsafe fn copy_short(input: *const u8, output: *mut u8, n: usize) {
    // SAFETY: of a chunk of `SIZE` bytes the caller has at least as many, twice over
    // from either end.
    unsafe {
        match n {
            0 => {}
            1..=3 => {
                *output = *input;
                *output.add(n / 2) = *input.add(n / 2);
                *output.add(n - 1) = *input.add(n - 1);
            }
            4..=7 => copy_ends::<4>(input, output, n),
            8..=15 => copy_ends::<8>(input, output, n),
            16..=32 => copy_ends::<16>(input, output, n),
            _ => ptr::copy_nonoverlapping(input, output, n),
        }
    }
}

/// Copies the first and the last `SIZE` of `n` bytes.
///
/// # Safety
///
/// As `copy_short`, and `SIZE` is at most `n`.
#[inline(always)]
unsafe fn copy_ends<const SIZE: usize>(input: *const u8, output: *mut u8, n: usize) {
    // SAFETY: both chunks lie within the `n` bytes.
    unsafe {
        ptr::copy_nonoverlapping(input, output, SIZE);
        ptr::copy_nonoverlapping(input.add(n - SIZE), output.add(n - SIZE), SIZE);
    }
}

/// A copy of a string in memory of exactly its length.
#[inline(always)]
pub(crate) fn string(text: &str) -> String {
    let n = text.len();
    let mut bytes = Vec::with_capacity(n);
    // SAFETY: the vector has room for `n` bytes in memory of its own, and they are a string's.
    unsafe {
        copy_short(text.as_ptr(), bytes.as_mut_ptr(), n);
        bytes.set_len(n);
        String::from_utf8_unchecked(bytes)
    }
}

/// Makes a string equal to another, in the memory that it has if that suffices.
#[inline(always)]
pub(crate) fn assign(string: &mut String, text: &str) {
    let n = text.len();
    if n > string.capacity() {
        *string = self::string(text);
        return;
    }
    // SAFETY: there is room for `n` bytes, which are a string's and lie elsewhere, since `string`
    // is borrowed mutably.
    unsafe {
        let bytes = string.as_mut_vec();
        copy_short(text.as_ptr(), bytes.as_mut_ptr(), n);
        bytes.set_len(n);
    }
}

/// The bytes of bools, each 0 or 1.
#[inline(always)]
pub(crate) fn bool_bytes(bools: &[bool]) -> &[u8] {
    // SAFETY: a bool is one byte, and initialised.
    unsafe { core::slice::from_raw_parts(bools.as_ptr().cast(), bools.len()) }
}

/// Numbers whose bytes in memory can be the bytes on the wire.
///
/// # Safety
///
/// The type has no padding and no invalid bit patterns.
pub unsafe trait Number: Copy + 'static {}

// SAFETY: integers and floats are as the trait demands.
unsafe impl Number for u8 {}
// SAFETY: as above.
unsafe impl Number for u16 {}
// SAFETY: as above.
unsafe impl Number for u32 {}
// SAFETY: as above.
unsafe impl Number for u64 {}
// SAFETY: as above.
unsafe impl Number for i8 {}
// SAFETY: as above.
unsafe impl Number for i16 {}
// SAFETY: as above.
unsafe impl Number for i32 {}
// SAFETY: as above.
unsafe impl Number for i64 {}
// SAFETY: as above.
unsafe impl Number for f32 {}
// SAFETY: as above.
unsafe impl Number for f64 {}

/// Whether this machine holds numbers as the wire does.
pub(crate) const IS_LITTLE_ENDIAN: bool = cfg!(target_endian = "little");

/// The knowledge that values of a type lie in memory as on the wire, so that many of them are
/// copied at once.
pub struct AsWire<T>(PhantomData<fn() -> T>);

impl<T> AsWire<T> {
    /// The knowledge, which `__fixed_struct` has of a struct by where its fields lie.
    ///
    /// # Safety
    ///
    /// In memory the type has the bytes that it has on the wire, no padding, and no invalid bit
    /// patterns.
    #[must_use]
    pub const unsafe fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T: Number> AsWire<T> {
    /// That of a number.
    pub(crate) const NUMBER: Option<Self> = if IS_LITTLE_ENDIAN || size_of::<T>() == 1 {
        Some(Self(PhantomData))
    } else {
        None
    };
}

impl<T, const N: usize> AsWire<[T; N]> {
    /// That of an array, whose elements lie one behind the other.
    pub(crate) const fn array(element: Option<&AsWire<T>>) -> Option<Self> {
        match element {
            Some(_) => Some(Self(PhantomData)),
            None => None,
        }
    }
}

/// Appends values of a type to a list: a copy of their bytes.
#[inline]
pub(crate) fn extend<T>(list: &mut Vec<T>, bytes: &[u8], _: AsWire<T>) {
    let Some(n) = bytes.len().checked_div(size_of::<T>()) else {
        return;
    };
    list.reserve_exact(n);
    // SAFETY: there is room for `n` more values, and any bytes are values.
    unsafe {
        let to: *mut T = list.as_mut_ptr().add(list.len());
        ptr::copy_nonoverlapping(bytes.as_ptr(), to.cast(), n * size_of::<T>());
        list.set_len(list.len() + n);
    }
}

/// Replaces values of a type by as many bytes. Others change nothing.
#[inline]
pub(crate) fn fill<T>(items: &mut [T], bytes: &[u8], _: AsWire<T>) {
    if bytes.len() == size_of_val(items) {
        // SAFETY: there are as many bytes, any bytes are values, and values of these types own
        // nothing that would have to be given back.
        unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), items.as_mut_ptr().cast(), bytes.len()) };
    }
}

/// Numbers where they lie on the wire, if this machine holds numbers as the wire
/// does and the bytes are aligned.
#[inline]
pub(crate) fn numbers<T: Number>(bytes: &[u8]) -> Option<&[T]> {
    if !IS_LITTLE_ENDIAN && size_of::<T>() > 1 {
        return None;
    }
    // SAFETY: any bytes are numbers of the type.
    match unsafe { bytes.align_to::<T>() } {
        ([], numbers, []) => Some(numbers),
        _ => None,
    }
}

/// Bytes that stay where they are while their owner is moved.
///
/// # Safety
///
/// The slice that `bytes` returns is the same as long as the owner lives and isn't borrowed
/// mutably, wherever the owner itself lies, and moving the owner does not claim
/// that nobody else looks at the bytes.
pub unsafe trait Stable: Send {
    /// The bytes.
    fn bytes(&self) -> &[u8];
}

// SAFETY: a vector's bytes lie behind a pointer that may be shared.
unsafe impl Stable for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: the bytes are shared, and nobody can change them.
unsafe impl Stable for alloc::sync::Arc<[u8]> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

// SAFETY: they live as long as the program.
unsafe impl Stable for &'static [u8] {
    fn bytes(&self) -> &[u8] {
        self
    }
}

#[cfg(feature = "bytes")]
// SAFETY: the bytes are shared, and nobody can change them.
unsafe impl Stable for bytes::Bytes {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// A value together with the bytes that it borrows from.
pub(crate) struct Bound<B, V> {
    /// It is dropped before the bytes, which are declared after it.
    value: V,
    bytes: B,
}

impl<B: Stable, V> Bound<B, V> {
    /// Makes a value of bytes that then live as long as it does.
    pub(crate) fn new<E>(
        bytes: B,
        make: impl FnOnce(&'static [u8]) -> Result<V, E>,
    ) -> Result<Self, E> {
        // SAFETY: the bytes stay where they are until `self` is dropped or taken apart, which
        // drops the value first, and nobody gets the value by another lifetime than
        // that of a borrow of `self`: `value` is private to this module, and its callers shorten it.
        let borrowed: &'static [u8] = unsafe { &*ptr::from_ref(bytes.bytes()) };
        let value = make(borrowed)?;
        Ok(Self { value, bytes })
    }

    pub(crate) fn value(&self) -> &V {
        &self.value
    }

    pub(crate) fn bytes(&self) -> &B {
        &self.bytes
    }

    /// Drops the value and gives the bytes back.
    pub(crate) fn into_bytes(self) -> B {
        self.bytes
    }
}

#[cfg(test)]
mod tests;
