//! The cost of the same data without any codec.

use crate::dataset::{Data, Frame};
use crate::subject::{Builder, Case, Subject};

/// A clone of the data.
pub fn clone<T: Data>(data: &'static T) -> Subject {
    Builder::reference("clone", data)
        .without_bytes(Case::Clone, T::clone)
        .done()
}

/// The floor of decoding arrays.
pub fn copy(data: &'static Frame) -> Subject {
    let copy = |frame: &Frame| Frame {
        samples: frame.samples.as_slice().to_vec(),
        indices: frame.indices.as_slice().to_vec(),
    };
    Builder::reference("memcpy", data)
        .without_bytes(Case::Copy, copy)
        .done()
}
