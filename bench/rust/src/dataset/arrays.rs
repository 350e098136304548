//! The frame of `bench/schemas/arrays.sdp`.

use std::borrow::Cow;
use std::path::Path;

use super::{owned, read_json, Data, Sum};

owned! {
    /// One frame of a sound, with the positions that were marked in it.
    pub struct Frame {
        pub samples: Vec<f32>,
        pub indices: Vec<u32>,
    }
}

/// A frame whose arrays are the bytes themselves, which only wincode can.
#[derive(Debug, wincode::SchemaRead)]
pub struct FrameSlices<'a> {
    pub samples: &'a [f32],
    pub indices: &'a [u32],
}

/// A frame whose arrays are the bytes themselves if these are aligned, as speedy makes them.
#[derive(Debug, speedy::Readable)]
pub struct FrameCows<'a> {
    pub samples: Cow<'a, [f32]>,
    pub indices: Cow<'a, [u32]>,
}

impl From<FrameSlices<'_>> for Frame {
    fn from(from: FrameSlices<'_>) -> Self {
        Self {
            samples: from.samples.to_vec(),
            indices: from.indices.to_vec(),
        }
    }
}

impl From<FrameCows<'_>> for Frame {
    fn from(from: FrameCows<'_>) -> Self {
        Self {
            samples: from.samples.into_owned(),
            indices: from.indices.into_owned(),
        }
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
