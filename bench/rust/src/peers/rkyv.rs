//! rkyv on the data's own types: archives in its default format, checked with bytecheck.

use std::hint::black_box;
use std::mem::take;

use rkyv::api::high::{to_bytes_in, HighDeserializer, HighSerializer, HighValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::Failure;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;
use rkyv::{
    access, access_unchecked, from_bytes, to_bytes, Archive, Deserialize, Portable, Serialize,
};

use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

/// All cases of rkyv; `sum` reads the archive in place.
pub fn subject<T>(data: &'static T, sum: fn(&T::Archived) -> u64) -> Subject
where
    T: Data + Archive + for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, Failure>>,
    T::Archived: Portable
        + for<'a> CheckBytes<HighValidator<'a, Failure>>
        + Deserialize<T, HighDeserializer<Failure>>,
{
    let builder = Builder::new("rkyv", "rkyv", data, &to_bytes::<Failure>(data).unwrap());
    let bytes = builder.bytes;
    let reused = move |buffer: &mut AlignedVec| {
        buffer.clear();
        *buffer = to_bytes_in::<_, Failure>(black_box(data), take(buffer)).unwrap();
    };
    builder
        .encode_fresh(|data| to_bytes::<Failure>(data).unwrap())
        .encode_with(
            Case::EncodeReused,
            bytes,
            AlignedVec::new(),
            reused,
            |buffer| buffer,
        )
        .decode_fresh(|bytes| from_bytes::<T, Failure>(bytes).unwrap())
        .access(|bytes| access::<T::Archived, Failure>(bytes).is_ok())
        .read(Case::Read, move |bytes| {
            // SAFETY: the bytes are what rkyv wrote for this type, aligned as it wants them.
            sum(unsafe { access_unchecked::<T::Archived>(bytes) })
        })
        .read(Case::ReadValidate, move |bytes| {
            sum(access::<T::Archived, Failure>(bytes).unwrap())
        })
        .done()
}
