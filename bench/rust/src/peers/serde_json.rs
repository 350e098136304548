//! `serde_json` on the data's own types.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{from_slice, to_vec, to_writer};

use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

fn start<T: Data + Serialize + DeserializeOwned>(data: &'static T) -> Builder<T> {
    Builder::new("serde_json", "serde_json", data, &to_vec(data).unwrap())
        .encode_fresh(|data| to_vec(data).unwrap())
        .encode_reused(|data, buffer| to_writer(buffer, data).unwrap())
        .decode_fresh(|bytes| from_slice(bytes).unwrap())
}

pub fn subject<T: Data + Serialize + DeserializeOwned>(data: &'static T) -> Subject {
    start(data).done()
}

/// With strings borrowed, which works as long as none has an escape.
pub fn borrowing<T, R>(data: &'static T) -> Subject
where
    T: Data + Serialize + DeserializeOwned + From<R>,
    R: Deserialize<'static> + 'static,
{
    let builder = start(data);
    let bytes = builder.bytes;
    builder
        .decode_as(
            Case::DecodeBorrowed,
            bytes,
            |bytes| from_slice::<R>(bytes).unwrap(),
            T::from,
        )
        .done()
}
