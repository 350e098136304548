//! speedy on the data's own types.

use speedy::{LittleEndian, Readable, Writable};

use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

fn start<T>(data: &'static T) -> Builder<T>
where
    T: Data + Writable<LittleEndian> + for<'a> Readable<'a, LittleEndian>,
{
    let fresh = |data: &T| data.write_to_vec_with_ctx(LittleEndian {}).unwrap();
    let builder = Builder::new("speedy", "speedy", data, &fresh(data));
    let (bytes, buffer) = (builder.bytes, vec![0; builder.bytes.len()]);
    let reused = move |buffer: &mut Vec<u8>| {
        std::hint::black_box(data)
            .write_to_buffer_with_ctx(LittleEndian {}, buffer)
            .unwrap();
    };
    builder
        .encode_fresh(fresh)
        .encode_with(Case::EncodeReused, bytes, buffer, reused, |buffer| buffer)
        .decode_fresh(|bytes| T::read_from_buffer_with_ctx(LittleEndian {}, bytes).unwrap())
}

pub fn subject<T>(data: &'static T) -> Subject
where
    T: Data + Writable<LittleEndian> + for<'a> Readable<'a, LittleEndian>,
{
    start(data).done()
}

pub fn borrowing<T, R>(data: &'static T) -> Subject
where
    T: Data + Writable<LittleEndian> + for<'a> Readable<'a, LittleEndian> + From<R>,
    R: Readable<'static, LittleEndian> + 'static,
{
    let builder = start(data);
    let bytes = builder.bytes;
    let decode = |bytes| R::read_from_buffer_with_ctx(LittleEndian {}, bytes).unwrap();
    builder
        .decode_as(Case::DecodeBorrowed, bytes, decode, T::from)
        .done()
}
