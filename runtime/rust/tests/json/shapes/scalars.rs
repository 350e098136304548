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

const _: () = {
    use sdp::json;

    const MEMBERS: json::Enum<u8> = json::Enum(&[("Effect", 0), ("inst", 1)]);

    impl json::ToJson for Kind {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            MEMBERS.write(self.number(), writer);
            Ok(())
        }
    }

    impl json::ToKey for Kind {
        fn write_key(&self, writer: &mut json::Writer) {
            MEMBERS.write_key(self.number(), writer);
        }
    }

    impl json::FromJson for Kind {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            MEMBERS.read(value, |number| Some(Self::from_number(number)))
        }
    }

    impl json::FromKey for Kind {
        fn read_key(text: &str) -> Option<Self> {
            MEMBERS.read_key(text).map(Self::from_number)
        }
    }
};

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

const _: () = {
    use sdp::json;

    const MEMBERS: json::Enum<i16> = json::Enum(&[("Off", -1), ("On", 1)]);

    impl json::ToJson for Mode {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            MEMBERS.write(self.number(), writer);
            Ok(())
        }
    }

    impl json::ToKey for Mode {
        fn write_key(&self, writer: &mut json::Writer) {
            MEMBERS.write_key(self.number(), writer);
        }
    }

    impl json::FromJson for Mode {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            MEMBERS.read(value, Self::from_number)
        }
    }

    impl json::FromKey for Mode {
        fn read_key(text: &str) -> Option<Self> {
            MEMBERS.read_key(text).and_then(Self::from_number)
        }
    }
};

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

const _: () = {
    use sdp::json;

    const MEMBERS: json::Object = json::Object::of_struct(&[
        json::Field::required("b", "b"),
        json::Field::required("u8", "u8"),
        json::Field::required("u16", "u16"),
        json::Field::required("u32", "u32"),
        json::Field::required("u64", "u64"),
        json::Field::required("i8", "i8"),
        json::Field::required("i16", "i16"),
        json::Field::required("i32", "i32"),
        json::Field::required("i64", "i64"),
        json::Field::required("f32", "f32"),
        json::Field::required("f64", "f64"),
        json::Field::required("at", "at"),
        json::Field::required("took", "took"),
        json::Field::required("id", "id"),
        json::Field::required("kind", "kind"),
        json::Field::required("mode", "mode"),
    ]);

    impl json::ToJson for Scalars {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(
                &MEMBERS,
                &[
                    &self.b, &self.u8, &self.u16, &self.u32, &self.u64, &self.i8, &self.i16,
                    &self.i32, &self.i64, &self.f32, &self.f64, &self.at, &self.took, &self.id,
                    &self.kind, &self.mode,
                ],
            )
        }
    }

    impl json::FromJson for Scalars {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            let mut v = Self::default();
            value.object(&MEMBERS, |key, value| match key {
                "b" => value.read_into(&mut v.b),
                "u8" => value.read_into(&mut v.u8),
                "u16" => value.read_into(&mut v.u16),
                "u32" => value.read_into(&mut v.u32),
                "u64" => value.read_into(&mut v.u64),
                "i8" => value.read_into(&mut v.i8),
                "i16" => value.read_into(&mut v.i16),
                "i32" => value.read_into(&mut v.i32),
                "i64" => value.read_into(&mut v.i64),
                "f32" => value.read_into(&mut v.f32),
                "f64" => value.read_into(&mut v.f64),
                "at" => value.read_into(&mut v.at),
                "took" => value.read_into(&mut v.took),
                "id" => value.read_into(&mut v.id),
                "kind" => value.read_into(&mut v.kind),
                "mode" => value.read_into(&mut v.mode),
                _ => Ok(()),
            })?;
            Ok(v)
        }
    }
};
