use super::generated::arrays as gen;
use super::{borrowed_cases, owned_cases};
use crate::dataset::Frame;
use crate::subject::Subject;

pub fn subject(data: &'static Frame) -> Subject {
    borrowed_cases!(owned_cases!(data, gen::Frame), gen::Frame, gen::FrameRef).done()
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
