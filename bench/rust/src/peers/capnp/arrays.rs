use capnp::Result;

use super::generated::arrays_capnp as cp;
use super::HasStruct;
use crate::dataset::{Frame, Sum};

/// Why lists of numbers can be had as slices.
const ALIGNED: &str = "the bytes are aligned, and the machine has their byte order";

impl HasStruct for Frame {
    type Struct = cp::frame::Owned;

    fn build(&self, mut to: cp::frame::Builder<'_>) {
        to.set_samples(self.samples.as_slice()).unwrap();
        to.set_indices(self.indices.as_slice()).unwrap();
    }

    fn sum_in_place(from: cp::frame::Reader<'_>) -> Result<u64> {
        let mut sum = Sum::default();
        for sample in from.get_samples()?.as_slice().expect(ALIGNED) {
            sum.float(*sample);
        }
        for index in from.get_indices()?.as_slice().expect(ALIGNED) {
            sum.uint(*index);
        }
        Ok(sum.0)
    }

    fn own(from: cp::frame::Reader<'_>) -> Result<Self> {
        Ok(Self {
            samples: from.get_samples()?.as_slice().expect(ALIGNED).to_vec(),
            indices: from.get_indices()?.as_slice().expect(ALIGNED).to_vec(),
        })
    }
}
