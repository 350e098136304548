use super::generated::arrays as pb;
use crate::dataset::Frame;

impl From<&Frame> for pb::Frame {
    fn from(from: &Frame) -> Self {
        Self {
            samples: from.samples.clone(),
            indices: from.indices.clone(),
        }
    }
}

impl From<pb::Frame> for Frame {
    fn from(from: pb::Frame) -> Self {
        Self {
            samples: from.samples,
            indices: from.indices,
        }
    }
}
