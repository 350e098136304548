use std::cmp::Ordering;

/// An open enum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    Effect,
    Instrument,
    Unknown(u8),
}

impl Kind {
    pub const fn number(self) -> u8 {
        match self {
            Self::Effect => 0,
            Self::Instrument => 1,
            Self::Unknown(number) => number,
        }
    }

    pub const fn from_number(number: u8) -> Self {
        match number {
            0 => Self::Effect,
            1 => Self::Instrument,
            number => Self::Unknown(number),
        }
    }
}

impl Default for Kind {
    fn default() -> Self {
        Self::from_number(0)
    }
}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.number().cmp(&other.number())
    }
}

sdp::json::enumeration! {
    Kind: u8, open {
        "Effect" = 0,
        "inst" = 1,
    }
}

/// A closed enum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Mode {
    #[default]
    Off,
    On,
}

impl Mode {
    pub const fn number(self) -> i16 {
        match self {
            Self::Off => -1,
            Self::On => 1,
        }
    }

    pub const fn from_number(number: i16) -> Option<Self> {
        match number {
            -1 => Some(Self::Off),
            1 => Some(Self::On),
            _ => None,
        }
    }
}

sdp::json::enumeration! {
    Mode: i16, closed {
        "Off" = -1,
        "On" = 1,
    }
}

/// A struct with every scalar.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scalars {
    pub b: bool,
    pub u8: u8,
    pub u16: u16,
    pub u32: u32,
    pub u64: u64,
    pub i8: i8,
    pub i16: i16,
    pub i32: i32,
    pub i64: i64,
    pub f32: f32,
    pub f64: f64,
    pub at: sdp::Timestamp,
    pub took: sdp::Duration,
    pub id: sdp::Uuid,
    pub kind: Kind,
    pub mode: Mode,
}

sdp::json::record! {
    Scalars: of_struct {
        b: required("b", "b"),
        u8: required("u8", "u8"),
        u16: required("u16", "u16"),
        u32: required("u32", "u32"),
        u64: required("u64", "u64"),
        i8: required("i8", "i8"),
        i16: required("i16", "i16"),
        i32: required("i32", "i32"),
        i64: required("i64", "i64"),
        f32: required("f32", "f32"),
        f64: required("f64", "f64"),
        at: required("at", "at"),
        took: required("took", "took"),
        id: required("id", "id"),
        kind: required("kind", "kind"),
        mode: required("mode", "mode"),
    }
}
