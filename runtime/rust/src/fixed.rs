//! Values of fixed size: scalars, arrays of them, and structs that hold nothing
//! else.

use alloc::vec::Vec;

use crate::memory::{self, AsWire, Bytes};
use crate::writer::Writer;
use crate::{Duration, Timestamp, Uuid};

/// A value that always takes the same number of bytes. It is for generated code.
pub trait Fixed: Sized {
    /// An array of as many bytes.
    type Bytes: Bytes;
    /// How many bytes.
    const SIZE: usize = core::mem::size_of::<Self::Bytes>();
    /// Whether some bytes are refused.
    const CHECKED: bool = false;
    /// How many levels of structs the value adds to the depth around it.
    const LEVELS: usize = 0;
    /// The number of elements that the value takes from their budget.
    const ELEMENTS: usize = 0;
    /// Whether the value is a scalar.
    const SCALAR: bool = false;
    /// Known if values lie in memory as on the wire.
    const AS_WIRE: Option<AsWire<Self>> = None;

    /// The value's bytes.
    fn sdp_bytes(&self) -> Self::Bytes;

    /// Reports whether `SIZE` bytes are a value.
    #[inline(always)]
    #[must_use]
    fn sdp_valid(bytes: &[u8]) -> bool {
        let _ = bytes;
        true
    }

    /// Reports whether the bytes of any number of values are valid.
    #[inline]
    #[must_use]
    fn sdp_all_valid(bytes: &[u8]) -> bool {
        !Self::CHECKED || bytes.chunks_exact(Self::SIZE).all(Self::sdp_valid)
    }

    /// The value of bytes that are valid; of others, any value.
    fn sdp_from(bytes: &[u8]) -> Self;

    /// Appends the values of bytes that are valid.
    #[inline]
    fn sdp_extend(list: &mut Vec<Self>, bytes: &[u8]) {
        if let Some(known) = Self::AS_WIRE {
            memory::extend(list, bytes, known);
        } else {
            list.reserve_exact(bytes.len() / Self::SIZE);
            list.extend(bytes.chunks_exact(Self::SIZE).map(Self::sdp_from));
        }
    }

    /// Replaces values by the values of as many bytes, which are valid.
    #[inline]
    fn sdp_fill(items: &mut [Self], bytes: &[u8]) {
        if let Some(known) = Self::AS_WIRE {
            memory::fill(items, bytes, known);
        } else {
            for (item, bytes) in items.iter_mut().zip(bytes.chunks_exact(Self::SIZE)) {
                *item = Self::sdp_from(bytes);
            }
        }
    }

    /// Writes values.
    #[inline]
    fn sdp_put_list(items: &[Self], w: &mut Writer<'_>) {
        if let Some(known) = Self::AS_WIRE {
            w.as_wire(items, known);
        } else {
            w.each(items);
        }
    }
}

/// The first `N` bytes, or zeros where there are fewer, which nobody asks for.
#[inline(always)]
fn first<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or([0; N])
}

/// The `n` bytes of a run from a place on. It is for generated code.
#[inline(always)]
#[must_use]
pub fn part(run: &[u8], position: usize, n: usize) -> &[u8] {
    run.get(position..position + n).unwrap_or(&[])
}

/// Refuses bytes that are no value. It is for generated code.
#[inline(always)]
#[must_use]
pub fn valid<T: Fixed>(bytes: &[u8]) -> Option<()> {
    if T::sdp_valid(bytes) {
        Some(())
    } else {
        None
    }
}

/// Puts a value into a run. It is for generated code.
#[inline(always)]
pub fn put<T: Fixed, const N: usize>(run: &mut [u8; N], position: usize, value: &T) {
    memory::place(run, position, &value.sdp_bytes());
}

macro_rules! number {
    ($($type:ty: $size:literal,)*) => {$(
        impl Fixed for $type {
            type Bytes = [u8; $size];
            const SCALAR: bool = true;
            const AS_WIRE: Option<AsWire<Self>> = AsWire::NUMBER;

            #[inline(always)]
            fn sdp_bytes(&self) -> Self::Bytes {
                self.to_le_bytes()
            }

            #[inline(always)]
            fn sdp_from(bytes: &[u8]) -> Self {
                Self::from_le_bytes(first(bytes))
            }
        }
    )*};
}

number! {
    u8: 1, u16: 2, u32: 4, u64: 8, i8: 1, i16: 2, i32: 4, i64: 8, f32: 4, f64: 8,
}

impl Fixed for bool {
    type Bytes = [u8; 1];
    const SCALAR: bool = true;
    const CHECKED: bool = true;

    #[inline(always)]
    fn sdp_bytes(&self) -> Self::Bytes {
        [u8::from(*self)]
    }

    #[inline(always)]
    fn sdp_valid(bytes: &[u8]) -> bool {
        first::<1>(bytes)[0] <= 1
    }

    /// All bytes are looked at, many at once, since bytes that are refused are rare.
    #[inline]
    fn sdp_all_valid(bytes: &[u8]) -> bool {
        bytes.iter().fold(0, |bits, byte| bits | byte) <= 1
    }

    #[inline(always)]
    fn sdp_from(bytes: &[u8]) -> Self {
        first::<1>(bytes)[0] == 1
    }

    #[inline]
    fn sdp_extend(list: &mut Vec<Self>, bytes: &[u8]) {
        list.reserve_exact(bytes.len());
        list.extend(bytes.iter().map(|byte| *byte == 1));
    }

    #[inline]
    fn sdp_put_list(items: &[Self], w: &mut Writer<'_>) {
        w.raw(memory::bool_bytes(items));
    }
}

impl Fixed for Timestamp {
    type Bytes = [u8; 8];
    const SCALAR: bool = true;

    #[inline(always)]
    fn sdp_bytes(&self) -> Self::Bytes {
        self.0.to_le_bytes()
    }

    #[inline(always)]
    fn sdp_from(bytes: &[u8]) -> Self {
        Self(i64::sdp_from(bytes))
    }
}

impl Fixed for Duration {
    type Bytes = [u8; 8];
    const SCALAR: bool = true;

    #[inline(always)]
    fn sdp_bytes(&self) -> Self::Bytes {
        self.0.to_le_bytes()
    }

    #[inline(always)]
    fn sdp_from(bytes: &[u8]) -> Self {
        Self(i64::sdp_from(bytes))
    }
}

impl Fixed for Uuid {
    type Bytes = [u8; 16];
    const SCALAR: bool = true;

    #[inline(always)]
    fn sdp_bytes(&self) -> Self::Bytes {
        self.0
    }

    #[inline(always)]
    fn sdp_from(bytes: &[u8]) -> Self {
        Self(first(bytes))
    }
}

impl<T: Fixed, const N: usize> Fixed for [T; N]
where
    [T::Bytes; N]: Bytes,
{
    type Bytes = [T::Bytes; N];
    const CHECKED: bool = T::CHECKED;
    const LEVELS: usize = T::LEVELS;
    const ELEMENTS: usize = if T::SCALAR { 0 } else { N + N * T::ELEMENTS };
    const AS_WIRE: Option<AsWire<Self>> = AsWire::array(T::AS_WIRE.as_ref());

    #[inline(always)]
    fn sdp_bytes(&self) -> Self::Bytes {
        core::array::from_fn(|i| self[i].sdp_bytes())
    }

    #[inline(always)]
    fn sdp_valid(bytes: &[u8]) -> bool {
        T::sdp_all_valid(bytes)
    }

    #[inline(always)]
    fn sdp_from(bytes: &[u8]) -> Self {
        core::array::from_fn(|i| T::sdp_from(bytes.get(i * T::SIZE..).unwrap_or(&[])))
    }
}
