//! bincode 2 on the data's own types, with integers of fixed size, which it is much faster with.

use bincode::config::{standard, Configuration, Fixint, LittleEndian};
use bincode::{
    borrow_decode_from_slice, decode_from_slice, encode_into_slice, encode_to_vec, BorrowDecode,
    Decode, Encode,
};

use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

fn settings() -> Configuration<LittleEndian, Fixint> {
    standard().with_fixed_int_encoding()
}

fn start<T: Data + Encode + Decode<()>>(data: &'static T) -> Builder<T> {
    let builder = Builder::new(
        "bincode",
        "bincode",
        data,
        &encode_to_vec(data, settings()).unwrap(),
    );
    let (bytes, buffer) = (builder.bytes, vec![0; builder.bytes.len()]);
    // Into a slice it is faster than into a writer.
    let reused = move |buffer: &mut Vec<u8>| {
        let written = encode_into_slice(std::hint::black_box(data), buffer, settings()).unwrap();
        debug_assert_eq!(written, buffer.len());
    };
    builder
        .encode_fresh(|data| encode_to_vec(data, settings()).unwrap())
        .encode_with(Case::EncodeReused, bytes, buffer, reused, |buffer| buffer)
        .decode_fresh(|bytes| decode_from_slice(bytes, settings()).unwrap().0)
}

pub fn subject<T: Data + Encode + Decode<()>>(data: &'static T) -> Subject {
    start(data).done()
}

pub fn borrowing<T, R>(data: &'static T) -> Subject
where
    T: Data + Encode + Decode<()> + From<R>,
    R: BorrowDecode<'static, ()> + 'static,
{
    let builder = start(data);
    let bytes = builder.bytes;
    let decode = |bytes| {
        borrow_decode_from_slice::<R, _>(bytes, settings())
            .unwrap()
            .0
    };
    builder
        .decode_as(Case::DecodeBorrowed, bytes, decode, T::from)
        .done()
}
