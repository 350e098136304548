//! The twelve primitive fields of `bench/schemas/primitives.sdp`.

use std::path::Path;

use super::{owned, Data, Sum};

owned! {
    /// One field of each primitive type.
    pub struct Primitives {
        pub flag: bool,
        pub tiny: i8,
        pub small: i16,
        pub medium: i32,
        pub large: i64,
        pub octet: u8,
        pub port: u16,
        pub count: u32,
        pub total: u64,
        pub ratio: f32,
        pub value: f64,
        /// Nanoseconds since 1970.
        pub taken_at: i64,
    }
}

impl Data for Primitives {
    const NAME: &'static str = "primitives";

    fn load(_: &Path) -> Self {
        Self {
            flag: true,
            tiny: -100,
            small: -30_000,
            medium: -2_000_000_000,
            large: -9_000_000_000_000_000_000,
            octet: 200,
            port: 60_000,
            count: 4_000_000_000,
            total: 18_000_000_000_000_000_000,
            ratio: 0.625,
            value: -273.15,
            taken_at: 1_795_231_560_123_456_789,
        }
    }

    fn sum(&self) -> u64 {
        let mut sum = Sum::default();
        sum.flag(self.flag);
        sum.int(self.tiny);
        sum.int(self.small);
        sum.int(self.medium);
        sum.int(self.large);
        sum.uint(self.octet);
        sum.uint(self.port);
        sum.uint(self.count);
        sum.uint(self.total);
        sum.float(self.ratio);
        sum.double(self.value);
        sum.int(self.taken_at);
        sum.0
    }
}
