use super::generated::arrays as gen;
use super::{borrowed_cases, owned_cases, view_cases};
use crate::dataset::{Frame, Sum};
use crate::subject::Subject;

pub fn subject(data: &'static Frame) -> Subject {
    let builder = borrowed_cases!(owned_cases!(data, gen::Frame), gen::Frame, gen::FrameRef);
    view_cases!(builder, FrameView, sum).done()
}

fn sum(frame: &gen::FrameView<'_>) -> u64 {
    let mut sum = Sum::default();
    for sample in frame.samples().to_cow().iter() {
        sum.float(*sample);
    }
    for index in frame.indices().to_cow().iter() {
        sum.uint(*index);
    }
    sum.0
}

impl From<&Frame> for gen::Frame {
    fn from(from: &Frame) -> Self {
        Self {
            samples: from.samples.clone(),
            indices: from.indices.clone(),
        }
    }
}

impl From<gen::Frame> for Frame {
    fn from(from: gen::Frame) -> Self {
        Self {
            samples: from.samples,
            indices: from.indices,
        }
    }
}
