//! prost on the types that it generates: it encodes prost's value, and leaves decoded data as one.

mod arrays;
mod log;
mod mesh;
mod minecraft;
mod mk48;
mod plugins;
mod primitives;

use std::hint::black_box;

use prost::Message;

use super::generated::prost as generated;
use crate::dataset::{
    Data, Frame, Logs, Mesh, Players, PluginRegistry, Primitives as Numbers, Updates,
};
use crate::subject::{Builder, Case, Subject};

/// A data set that has a message.
pub trait HasMessage: Data + From<Self::Message> {
    type Message: Message + Default + Clone + for<'a> From<&'a Self> + 'static;
}

impl HasMessage for PluginRegistry {
    type Message = generated::plugins::PluginRegistry;
}

impl HasMessage for Numbers {
    type Message = generated::primitives::Primitives;
}

impl HasMessage for Frame {
    type Message = generated::arrays::Frame;
}

impl HasMessage for Logs {
    type Message = generated::log::Logs;
}

impl HasMessage for Mesh {
    type Message = generated::mesh::Mesh;
}

impl HasMessage for Players {
    type Message = generated::minecraft_savedata::Players;
}

impl HasMessage for Updates {
    type Message = generated::mk48::Updates;
}

pub fn subject<T: HasMessage>(data: &'static T) -> Subject {
    let message: &'static T::Message = Box::leak(Box::new(data.into()));
    let builder = Builder::new("prost", "prost", data, &message.encode_to_vec());
    let bytes = builder.bytes;
    builder
        .encode_fresh_as(Case::EncodeFresh, bytes, move || {
            black_box(message).encode_to_vec()
        })
        .encode_reused_as(Case::EncodeReused, bytes, move |buffer| {
            black_box(message).encode(buffer).unwrap();
        })
        .decode_as(
            Case::DecodeFresh,
            bytes,
            |bytes| T::Message::decode(bytes).unwrap(),
            T::from,
        )
        .decode_reused(
            T::Message::default(),
            |message, bytes| {
                message.clear();
                message.merge(bytes).unwrap();
            },
            T::from,
        )
        .done()
}

/// All of a list in another form.
fn all<A, B>(from: impl IntoIterator<Item = A>) -> Vec<B>
where
    B: From<A>,
{
    from.into_iter().map(Into::into).collect()
}

/// A number as the narrower type that it had before protobuf, which has no type below 32 bits.
fn narrow<A, B>(value: A) -> B
where
    B: TryFrom<A>,
    B::Error: std::fmt::Debug,
{
    value
        .try_into()
        .expect("the number was of the narrower type")
}
