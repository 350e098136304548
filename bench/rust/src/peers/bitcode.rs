//! bitcode on the data's own types. Its buffers keep what encoding and decoding allocate; fresh encoding goes
//! without one.

use std::cell::RefCell;
use std::hint::black_box;

use bitcode::{Buffer, Decode, DecodeOwned, Encode};

use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

fn start<T: Data + Encode + DecodeOwned>(data: &'static T) -> Builder<T> {
    let builder = Builder::new("bitcode", "bitcode", data, &bitcode::encode(data));
    let bytes = builder.bytes;
    let reused = RefCell::new(Buffer::new());
    let encode = move |buffer: &mut Buffer| {
        black_box(buffer.encode(black_box(data)));
    };
    builder
        .encode_fresh(|data| bitcode::encode(data))
        // The buffer shows its bytes only as the result of encoding.
        .encode_with(Case::EncodeReused, bytes, Buffer::new(), encode, |buffer| {
            buffer.encode(data)
        })
        .decode_fresh(move |bytes| reused.borrow_mut().decode(bytes).unwrap())
}

pub fn subject<T: Data + Encode + DecodeOwned>(data: &'static T) -> Subject {
    start(data).done()
}

pub fn borrowing<T, R>(data: &'static T) -> Subject
where
    T: Data + Encode + DecodeOwned + From<R>,
    R: Decode<'static> + 'static,
{
    let builder = start(data);
    let (bytes, reused) = (builder.bytes, RefCell::new(Buffer::new()));
    let decode = move |bytes| reused.borrow_mut().decode::<R>(bytes).unwrap();
    builder
        .decode_as(Case::DecodeBorrowed, bytes, decode, T::from)
        .done()
}
