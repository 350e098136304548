//! wincode on the data's own types, in its default configuration but for the limit on preallocation, which is
//! below the size of the mesh. The limit is known at compile time, so that its height costs nothing.

use wincode::config::{self, Configuration};
use wincode::{SchemaRead, SchemaWrite};

use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

type Config = Configuration<true, { 64 << 20 }>;

fn settings() -> Config {
    Configuration::default().with_preallocation_size_limit::<{ 64 << 20 }>()
}

fn start<T>(data: &'static T) -> Builder<T>
where
    T: Data + SchemaWrite<Config, Src = T> + for<'a> SchemaRead<'a, Config, Dst = T>,
{
    let fresh = |data: &T| config::serialize(data, settings()).unwrap();
    let builder = Builder::new("wincode", "wincode", data, &fresh(data));
    let (bytes, buffer) = (builder.bytes, vec![0; builder.bytes.len()]);
    let reused = move |buffer: &mut Vec<u8>| {
        config::serialize_into(
            buffer.as_mut_slice(),
            std::hint::black_box(data),
            settings(),
        )
        .unwrap();
    };
    builder
        .encode_fresh(fresh)
        .encode_with(Case::EncodeReused, bytes, buffer, reused, |buffer| buffer)
        .decode_fresh(|bytes| config::deserialize::<T, _>(bytes, settings()).unwrap())
}

pub fn subject<T>(data: &'static T) -> Subject
where
    T: Data + SchemaWrite<Config, Src = T> + for<'a> SchemaRead<'a, Config, Dst = T>,
{
    start(data).done()
}

pub fn borrowing<T, R>(data: &'static T) -> Subject
where
    T: Data + SchemaWrite<Config, Src = T> + for<'a> SchemaRead<'a, Config, Dst = T> + From<R>,
    R: SchemaRead<'static, Config, Dst = R> + 'static,
{
    let builder = start(data);
    let bytes = builder.bytes;
    let decode = |bytes| config::deserialize::<R, _>(bytes, settings()).unwrap();
    builder
        .decode_as(Case::DecodeBorrowed, bytes, decode, T::from)
        .done()
}
