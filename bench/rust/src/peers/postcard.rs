//! postcard on the data's own types.

use postcard::{from_bytes, to_extend, to_stdvec};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

fn start<T: Data + Serialize + DeserializeOwned>(data: &'static T) -> Builder<T> {
    Builder::new("postcard", "postcard", data, &to_stdvec(data).unwrap())
        .encode_fresh(|data| to_stdvec(data).unwrap())
        .encode_reused(|data, buffer| *buffer = to_extend(data, std::mem::take(buffer)).unwrap())
        .decode_fresh(|bytes| from_bytes(bytes).unwrap())
}

pub fn subject<T: Data + Serialize + DeserializeOwned>(data: &'static T) -> Subject {
    start(data).done()
}

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
            |bytes| from_bytes::<R>(bytes).unwrap(),
            T::from,
        )
        .done()
}
