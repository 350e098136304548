//! flatbuffers: tables that are built from the data and read in place. Decoding is verification and reading into
//! the data's own types, for which the library has no function.

mod arrays;
mod log;
mod mesh;
mod minecraft;
mod mk48;
mod plugins;
mod primitives;

use std::hint::black_box;

use flatbuffers::{root, root_unchecked, FlatBufferBuilder, Follow, Verifiable, WIPOffset};

use super::generated::flatbuffers as generated;
use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

/// The builder of tables.
type Tables = FlatBufferBuilder<'static>;

/// A data set that has a table.
pub trait HasTable: Data {
    type Table: Follow<'static, Inner = Self::Table> + Verifiable + 'static;

    /// Builds the table.
    fn build(&self, tables: &mut Tables) -> WIPOffset<Self::Table>;

    /// Reads what [`Data::sum`] adds up.
    fn sum_in_place(table: Self::Table) -> u64;

    /// Reads everything.
    fn own(table: Self::Table) -> Self;
}

pub fn subject<T: HasTable>(data: &'static T) -> Subject {
    let mut tables = Tables::new();
    let encode = move |tables: &mut Tables| {
        tables.reset();
        let root = black_box(data).build(tables);
        tables.finish(root, None);
    };
    encode(&mut tables);
    let builder = Builder::new("flatbuffers", "flatbuffers", data, tables.finished_data());
    let bytes = builder.bytes;
    let fresh = move || {
        let mut tables = Tables::new();
        encode(&mut tables);
        Finished(tables)
    };
    builder
        .encode_fresh_as(Case::EncodeFresh, bytes, fresh)
        .encode_with(Case::EncodeReused, bytes, tables, encode, |tables| {
            tables.finished_data()
        })
        .decode_fresh(|bytes| T::own(root::<T::Table>(bytes).unwrap()))
        .access(|bytes| root::<T::Table>(bytes).is_ok())
        .read(Case::Read, |bytes| {
            // SAFETY: the bytes are what flatbuffers wrote for this table.
            T::sum_in_place(unsafe { root_unchecked::<T::Table>(bytes) })
        })
        .read(Case::ReadValidate, |bytes| {
            T::sum_in_place(root::<T::Table>(bytes).unwrap())
        })
        .done()
}

/// A builder that is done, as the bytes that it holds.
struct Finished(Tables);

impl AsRef<[u8]> for Finished {
    fn as_ref(&self) -> &[u8] {
        self.0.finished_data()
    }
}
