//! Values at random, the same for the same seed.

use std::collections::BTreeMap;

use golden::plugins::{Parameter, Plugin};
use golden::shapes::{
    Choice, Event, EventChanged, Everything, Kept, Kind, Large, Mode, Node, Point, Scalars,
    Settings,
};
use sdp::{Duration, Timestamp, Uuid};

pub(crate) struct Random {
    bits: fastrand::Rng,
    depth: usize,
}

/// Types that have random values.
pub(crate) trait Any: Sized {
    fn any(random: &mut Random) -> Self;
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            bits: fastrand::Rng::with_seed(seed),
            depth: 0,
        }
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.bits.usize(..n)
    }

    fn length(&mut self) -> usize {
        [0, 1, 2, 3, 5, 9, 17][self.below(7)]
    }

    /// So many characters of one to four bytes each.
    pub(crate) fn text(&mut self, n: usize) -> String {
        let letters: Vec<char> = "abcdefgh ijkl\0\"\\éß和😀\u{2028}".chars().collect();
        let plain = n > 4;
        let letter = |_| {
            if plain && self.below(8) > 0 {
                return 'e';
            }
            letters[self.below(letters.len())]
        };
        (0..n).map(letter).collect()
    }

    pub(crate) fn any<T: Any>(&mut self) -> T {
        T::any(self)
    }

    /// Bits that prefer the ends of the range.
    fn word(&mut self) -> u64 {
        match self.below(4) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 63,
            _ => self.bits.u64(..),
        }
    }

    pub(crate) fn everything(&mut self) -> Everything {
        self.any()
    }
}

macro_rules! numbers {
    ($($int:ident)+) => {$(
        impl Any for $int {
            #[allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "the upper bits are taken")]
            fn any(random: &mut Random) -> Self {
                (random.word() >> (64 - <$int>::BITS)) as $int
            }
        }
    )+};
}

numbers!(u8 u16 u32 u64 i8 i16 i32 i64);

/// Structs, field by field.
macro_rules! fields {
    ($($name:ident { $($field:ident)+ })+) => {$(
        impl Any for $name {
            fn any(random: &mut Random) -> Self {
                Self { $($field: random.any(),)+ }
            }
        }
    )+};
}

fields! {
    Scalars { b u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 at took id kind mode gain }
    Point { x y }
    Large { a name }
    Node { value left right }
    EventChanged { id value }
    Plugin { name manufacturer uri class parameters }
    Parameter {
        address display_name identifier unit min_value max_value default_value current_value raw_flags is_writable can_ramp
    }
}

impl Any for Everything {
    fn any(random: &mut Random) -> Self {
        let short = random.length();
        let bounded = random.below(2);
        Self {
            scalars: random.any(),
            names: random.any(),
            short: random.text(short),
            bounded: random.text(bounded),
            data: random.any(),
            points: random.any(),
            grid: random.any(),
            flags: random.any(),
            modes: random.any(),
            corner: random.any(),
            channels: random.any(),
            wide: random.any(),
            texts: random.any(),
            maybe: random.any(),
            maybe_point: random.any(),
            maybe_large: random.any(),
            maybe_list: random.any(),
            maybes: random.any(),
            tree: random.any(),
            by_name: random.any(),
            by_number: random.any(),
            by_kind: random.any(),
            by_flag: random.any(),
            settings: random.any(),
            history: random.any(),
            kept: random.any(),
            event: random.any(),
            events: random.any(),
            choice: random.any(),
            maybe_event: random.any(),
            err: random.any(),
            len: random.any(),
            r: random.any(),
            equal: random.any(),
            string: random.any(),
            r#type: random.any(),
            b: random.any(),
            encoded_size: random.any(),
        }
    }
}

impl Any for bool {
    fn any(random: &mut Random) -> Self {
        random.below(2) == 0
    }
}

impl Any for f32 {
    fn any(random: &mut Random) -> Self {
        Self::from_bits(random.any())
    }
}

impl Any for f64 {
    fn any(random: &mut Random) -> Self {
        Self::from_bits(random.any())
    }
}

impl Any for String {
    fn any(random: &mut Random) -> Self {
        let n = random.length();
        random.text(n)
    }
}

impl<T: Any> Any for Vec<T> {
    fn any(random: &mut Random) -> Self {
        let n = random.length();
        (0..n).map(|_| random.any()).collect()
    }
}

impl<T: Any, const N: usize> Any for [T; N] {
    fn any(random: &mut Random) -> Self {
        std::array::from_fn(|_| random.any())
    }
}

/// Trees end somewhere.
impl<T: Any> Any for Box<T> {
    fn any(random: &mut Random) -> Self {
        random.depth += 1;
        let value = Self::new(random.any());
        random.depth -= 1;
        value
    }
}

impl<T: Any> Any for Option<T> {
    fn any(random: &mut Random) -> Self {
        (random.depth <= 8 && random.any()).then(|| random.any())
    }
}

impl<K: Any + Ord, V: Any> Any for BTreeMap<K, V> {
    fn any(random: &mut Random) -> Self {
        let n = random.length();
        (0..n).map(|_| (random.any(), random.any())).collect()
    }
}

impl Any for Timestamp {
    fn any(random: &mut Random) -> Self {
        Self(random.any())
    }
}

impl Any for Duration {
    fn any(random: &mut Random) -> Self {
        Self(random.any())
    }
}

impl Any for Uuid {
    fn any(random: &mut Random) -> Self {
        Self(random.any())
    }
}

impl Any for Kind {
    fn any(random: &mut Random) -> Self {
        random.any::<u8>().into()
    }
}

impl Any for Mode {
    fn any(random: &mut Random) -> Self {
        [Self::Off, Self::On][random.below(2)]
    }
}

impl Any for Settings {
    fn any(random: &mut Random) -> Self {
        Self::new()
            .with_rate(random.any())
            .with_title(random.any())
            .with_limit(random.any())
            .with_mode(random.any())
            .with_origin(random.any())
    }
}

impl Any for Kept {
    fn any(random: &mut Random) -> Self {
        let mut kept = Self::new().with_a(random.any()).with_b(random.any());
        kept.set_unknown_fields(random.any());
        kept
    }
}

impl Any for Event {
    fn any(random: &mut Random) -> Self {
        match random.below(6) {
            0 => Self::Loaded(random.any()),
            1 => Self::Changed(random.any()),
            2 => Self::Stopped,
            3 => Self::Renamed(random.any()),
            4 => Self::Applied(random.any()),
            _ => Self::Unknown {
                tag: random.any::<u8>().max(6),
                payload: random.any(),
            },
        }
    }
}

impl Any for Choice {
    fn any(random: &mut Random) -> Self {
        match random.below(3) {
            0 => Self::Number(random.any()),
            1 => Self::Text(random.any()),
            _ => Self::Nothing,
        }
    }
}
