//! SDP on the types that it generates: it encodes SDP's value, and leaves decoded data as one. Values are made
//! from the data, and compared with it, by their fields.

mod arrays;
#[rustfmt::skip]
mod generated;
mod log;
mod mesh;
mod minecraft;
mod mk48;
mod plugins;
mod primitives;

pub use arrays::subject as arrays;
pub use log::subject as log;
pub use mesh::subject as mesh;
pub use minecraft::subject as minecraft;
pub use mk48::subject as mk48;
pub use plugins::subject as plugins;
pub use primitives::subject as primitives;

/// The cases of an owned type, whose functions are its own and no trait's.
macro_rules! owned_cases {
    ($data:expr, $owned:ty) => {{
        use std::hint::black_box;

        use crate::subject::{aligned, Builder, Case};

        let value: &'static $owned = Box::leak(Box::new(<$owned>::from($data)));
        let builder = Builder::new(
            "sdp",
            "serial-data-protocol",
            $data,
            &value.encode_to_vec().unwrap(),
        );
        let (bytes, message) = (builder.bytes, aligned(&value.message_to_vec().unwrap()));
        builder
            .encode_fresh_as(Case::EncodeFresh, bytes, move || {
                black_box(value).encode_to_vec().unwrap()
            })
            .encode_with(
                Case::EncodeReused,
                bytes,
                vec![0; bytes.len()],
                move |buffer| {
                    black_box(value).encode_to_slice(buffer).unwrap();
                },
                |buffer| buffer,
            )
            .encode_fresh_as(Case::EncodeFreshMessage, message, move || {
                black_box(value).message_to_vec().unwrap()
            })
            .encode_with(
                Case::EncodeReusedMessage,
                message,
                vec![0; message.len()],
                move |buffer| {
                    black_box(value).message_to_slice(buffer).unwrap();
                },
                |buffer| buffer,
            )
            .decode_as(
                Case::DecodeFresh,
                bytes,
                |bytes| <$owned>::decode(bytes).unwrap(),
                Into::into,
            )
            .decode_as(
                Case::DecodeFreshMessage,
                message,
                |bytes| <$owned>::decode_message(bytes).unwrap(),
                Into::into,
            )
            .decode_reused(
                <$owned>::default(),
                |value, bytes| value.decode_into(bytes).unwrap(),
                Into::into,
            )
    }};
}

/// The cases of a type that borrows, added to the owned type's cases.
macro_rules! borrowed_cases {
    ($builder:expr, $owned:ty, $borrowed:ty) => {{
        use crate::subject::Case;

        let builder = $builder;
        let bytes = builder.bytes;
        builder.decode_as(
            Case::DecodeBorrowed,
            bytes,
            |bytes| <$borrowed>::decode(bytes).unwrap(),
            |value| <$owned>::from(value).into(),
        )
    }};
}

/// The cases of a view, added to the owned type's cases; `sum` reads it.
macro_rules! view_cases {
    ($builder:expr, $view:ident, $sum:expr) => {{
        use std::hint::black_box;

        use crate::subject::Case;

        let builder = $builder;
        let validated = gen::$view::new(builder.bytes).unwrap();
        builder
            .access(|bytes| gen::$view::new(bytes).is_ok())
            .read(Case::Read, move |_| $sum(black_box(&validated)))
            .read(Case::ReadValidate, |bytes| {
                $sum(&gen::$view::new(bytes).unwrap())
            })
    }};
}

use {borrowed_cases, owned_cases, view_cases};

/// All of a list in another form.
fn all<A, B>(from: impl IntoIterator<Item = A>) -> Vec<B>
where
    B: From<A>,
{
    from.into_iter().map(Into::into).collect()
}
