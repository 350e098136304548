//! The frame of `bench/schemas/arrays.sdp`.

use std::path::Path;

use super::{owned, read_json, Data, Sum};

owned! {
    /// One frame of a sound, with the positions that were marked in it.
    pub struct Frame {
        pub samples: Vec<f32>,
        pub indices: Vec<u32>,
    }
}

impl Data for Frame {
    const NAME: &'static str = "arrays";

    fn load(data: &Path) -> Self {
        read_json(data, "arrays.json")
    }

    fn sum(&self) -> u64 {
        let mut sum = Sum::default();
        for sample in &self.samples {
            sum.float(*sample);
        }
        for index in &self.indices {
            sum.uint(*index);
        }
        sum.0
    }
}
