//! Cap'n Proto: messages that are built from the data and read in place. It checks each pointer when it is
//! followed, and text when it is taken, so that there is neither validation alone nor reading without. Decoding
//! is reading into the data's own types, for which the library has no function.

mod arrays;
mod log;
mod mesh;
mod minecraft;
mod mk48;
mod plugins;
mod primitives;

use std::hint::black_box;

use capnp::message::{self, Allocator, HeapAllocator, ReaderOptions, ScratchSpaceHeapAllocator};
use capnp::serialize::{
    read_message_from_flat_slice_no_alloc, write_message, write_message_to_words,
};
use capnp::traits::Owned;
use capnp::Word;

use super::generated::capnp as generated;
use crate::dataset::Data;
use crate::subject::{Builder, Case, Subject};

/// A data set that has a struct of Cap'n Proto.
pub trait HasStruct: Data {
    type Struct: Owned;

    /// Fills the struct.
    fn build(&self, to: <Self::Struct as Owned>::Builder<'_>);

    /// Reads what [`Data::sum`] adds up.
    fn sum_in_place(from: <Self::Struct as Owned>::Reader<'_>) -> capnp::Result<u64>;

    /// Reads everything.
    fn own(from: <Self::Struct as Owned>::Reader<'_>) -> capnp::Result<Self>;
}

pub fn subject<T: HasStruct>(data: &'static T) -> Subject {
    let first = write_message_to_words(&build(data, HeapAllocator::new()));
    // Of a size that is known all goes into one segment.
    let words = u32::try_from(first.len() / 8).expect("messages are smaller than 32 GiB");
    let fresh = move || {
        let allocator = HeapAllocator::new().first_segment_words(words);
        write_message_to_words(&build(black_box(data), allocator))
    };
    let builder = Builder::new("capnp", "capnp", data, &fresh());
    let bytes = builder.bytes;
    let scratch = Word::words_to_bytes_mut(Word::allocate_zeroed_vec(first.len() / 8).leak());
    let mut allocator = ScratchSpaceHeapAllocator::new(scratch);
    builder
        .encode_fresh_as(Case::EncodeFresh, bytes, fresh)
        .encode_reused_as(Case::EncodeReused, bytes, move |buffer| {
            write_message(buffer, &build(black_box(data), &mut allocator)).unwrap();
        })
        .decode_fresh(|bytes| with_root::<T, _>(bytes, T::own))
        .read(Case::ReadValidate, |bytes| {
            with_root::<T, _>(bytes, T::sum_in_place)
        })
        .done()
}

fn build<T: HasStruct, A: Allocator>(data: &T, allocator: A) -> message::Builder<A> {
    let mut message = message::Builder::new(allocator);
    data.build(message.init_root::<<T::Struct as Owned>::Builder<'_>>());
    message
}

fn with_root<T: HasStruct, R>(
    mut bytes: &[u8],
    read: impl FnOnce(<T::Struct as Owned>::Reader<'_>) -> capnp::Result<R>,
) -> R {
    let message = read_message_from_flat_slice_no_alloc(&mut bytes, ReaderOptions::new()).unwrap();
    read(message.get_root().unwrap()).unwrap()
}

/// The length of a list.
fn length<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).expect("the lists of the data are short")
}

/// The elements of `list` with the places where they go.
fn numbered<T>(list: &[T]) -> impl Iterator<Item = (u32, &T)> {
    (0..).zip(list)
}
