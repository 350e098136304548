//! The runner's table of a schema's types, and its making.

use std::any::Any;
use std::fmt::Debug;

use sdp::{DecodeOptions, Error};

use crate::value::{agree, shown, shown_framed, Answer, Failure, FramedValue, Shown, Value};

/// One schema file.
pub struct Schema {
    pub name: &'static str,
    pub types: &'static [Type],
    pub messages: Option<Messages>,
}

/// One type of a schema.
pub struct Type {
    pub name: &'static str,
    pub layout: fn() -> String,
    pub factor: usize,
    pub segments: &'static [u64],
    pub cumulative: &'static [u64],
    pub decode: Decode,
    pub borrow: Decode,
    pub view: Decode,
    pub reuse: Reuse,
    pub prefix: Prefix,
    pub from_json: FromJson,
    pub framed: Option<Framed>,
}

/// The message mode of a type.
pub struct Framed {
    pub decode: fn(&[u8], &DecodeOptions) -> Answer<Shown>,
    pub encode: fn(&[u8]) -> Answer<Vec<u8>>,
}

/// The messages of a schema.
pub struct Messages {
    pub dispatch: fn(&[u8], &DecodeOptions) -> Answer<Named>,
    pub stream: fn(&[u8], DecodeOptions, Each),
}

/// A message and the name of its type.
pub type Named = (&'static str, Shown);

pub type Decode = fn(&[u8], &DecodeOptions) -> Measured;
pub type Reuse = fn(&mut Slot, &[u8], &DecodeOptions) -> Measured;
pub type Prefix = fn(&[u8], &DecodeOptions) -> Answer<(Shown, usize)>;
pub type FromJson = fn(&[u8]) -> Result<Box<dyn Value>, Error>;

/// Holds the value that is decoded into.
pub type Slot = Option<Box<dyn Any>>;

/// Takes what a stream reads, and says whether to go on.
pub type Each<'a> = &'a mut dyn FnMut(Answer<Option<Named>>) -> bool;

/// The answer of a decode, and how many bytes it asked the allocator for.
pub type Measured = (Answer<Shown>, u64);

/// Runs a decode.
#[cfg(not(miri))]
pub fn measured<T>(decode: impl FnOnce() -> Result<T, Error>) -> (Result<T, Error>, u64) {
    let mut result = None;
    let cost = allocation_counter::measure(|| result = Some(decode()));
    (result.expect("decode was called"), cost.bytes_total)
}

/// Runs a decode. Counting would make Miri take twice as long for little news about the code.
#[cfg(miri)]
pub fn measured<T>(decode: impl FnOnce() -> Result<T, Error>) -> (Result<T, Error>, u64) {
    (decode(), 0)
}

/// Decodes an owned value.
pub fn owned<T: Value>(decode: impl FnOnce() -> Result<T, Error>) -> Measured {
    let (decoded, allocated) = measured(decode);
    (
        decoded
            .map_err(Failure::from)
            .and_then(|value| shown(&value)),
        allocated,
    )
}

/// Decodes a value in another form, which says the same of itself as the owned
/// value that it is converted to.
pub fn converted<T: Value, O: Value + From<T>>(
    decode: impl FnOnce() -> Result<T, Error>,
) -> Measured {
    let (decoded, allocated) = measured(decode);
    let result = decoded.map_err(Failure::from).and_then(|value| {
        let before = shown(&value)?;
        let after = shown(&O::from(value))?;
        agree("the converted value", &before, &after)?;
        Ok(after)
    });
    (result, allocated)
}

/// Looks at a value, without allocating. Its accessors show the owned value that it is converted
/// to.
pub fn viewed<T, R, O>(validate: impl FnOnce() -> Result<T, Error>) -> Measured
where
    T: Clone + Debug,
    R: Value + From<T>,
    O: Value + Debug + From<T>,
{
    let (validated, allocated) = measured(validate);
    let result = validated.map_err(Failure::from).and_then(|view| {
        agree("the view allocates", &0, &allocated)?;
        let (borrowed, owned) = (R::from(view.clone()), O::from(view.clone()));
        agree("the accessors", &unnamed(&owned), &unnamed(&view))?;
        let (before, after) = (shown(&borrowed)?, shown(&owned)?);
        agree("the view as borrowed form", &after, &before)?;
        Ok(after)
    });
    (result, allocated)
}

/// A value as text, without what the names of types have at their ends.
fn unnamed(value: &dyn Debug) -> String {
    format!("{value:?}").replace("View", "").replace("Ref", "")
}

/// Decodes into the value that the slot holds.
pub fn reused<T: Value + Default + 'static>(
    slot: &mut Slot,
    decode_into: impl FnOnce(&mut T) -> Result<(), Error>,
) -> Measured {
    let slot = slot.get_or_insert_with(|| Box::new(T::default()));
    let value: &mut T = slot.downcast_mut().expect("a slot is for one type");
    let (decoded, allocated) = measured(|| decode_into(value));
    (
        decoded.map_err(Failure::from).and_then(|()| shown(value)),
        allocated,
    )
}

/// The answer of a message, which is the same in all its forms.
pub fn same<T: PartialEq + Debug>(owned: Answer<T>, others: [Answer<T>; 2]) -> Answer<T> {
    for other in others {
        agree("another form", &owned, &other)?;
    }
    owned
}

/// Shows a message under its type's name.
pub fn named(name: &'static str, value: &dyn FramedValue) -> Answer<Named> {
    Ok((name, shown_framed(value)?))
}

/// Decodes a message in all forms.
pub fn message<T: FramedValue + From<V>, R: FramedValue, V>(
    owned: Result<T, Error>,
    borrowed: Result<R, Error>,
    view: Result<V, Error>,
) -> Answer<Shown> {
    let owned = owned
        .map_err(Failure::from)
        .and_then(|value| shown_framed(&value));
    let borrowed = borrowed
        .map_err(Failure::from)
        .and_then(|value| shown_framed(&value));
    let view = view
        .map_err(Failure::from)
        .and_then(|view| shown_framed(&T::from(view)));
    same(owned, [borrowed, view])
}

/// The table of a schema's types: the forms that are values, the forms of types with a type id, the
/// messages, and each type with its owned form, borrowed form and view. The types of a schema.
/// Types that can't borrow have one form for all.
macro_rules! schema {
    (
        mod $schema:ident = $path:path;
        values($($value:ty,)*);
        framed($($framed_value:ty,)*);
        $(messages $message:ident $message_ref:ident $message_view:ident { $($variant:ident $variant_name:literal,)+ })?
        $($name:literal: $owned:ty, $borrowed:ty, $view:ty, $look:ident, $look_framed:ident $(, $framed:ident)?;)*
    ) => {
        mod $schema {
            use $path::*;

            $(crate::table::value!($value);)*
            $(crate::table::framed_value!($framed_value);)*

            pub const SCHEMA: crate::table::Schema = crate::table::Schema {
                name: stringify!($schema),
                types: &[$(crate::table::Type {
                    name: $name,
                    layout: <$owned>::layout,
                    factor: <$owned>::MEMORY_FACTOR,
                    segments: <$owned>::SEGMENT_FINGERPRINTS,
                    cumulative: <$owned>::FINGERPRINTS,
                    decode: |bytes, options| {
                        crate::table::owned(|| <$owned>::decode_with(bytes, options))
                    },
                    borrow: |bytes, options| {
                        crate::table::converted::<_, $owned>(|| <$borrowed>::decode_with(bytes, options))
                    },
                    view: |bytes, options| {
                        crate::table::viewed::<_, $borrowed, $owned>(|| <$view>::$look(bytes, options))
                    },
                    reuse: |slot, bytes, options| {
                        crate::table::reused(slot, |value: &mut $owned| {
                            value.decode_into_with(bytes, options)
                        })
                    },
                    prefix: |bytes, options| {
                        let (value, used) = <$owned>::decode_prefix_with(bytes, options)?;
                        Ok((crate::value::shown(&value)?, used))
                    },
                    from_json: |text| Ok(Box::new(<$owned>::from_json(text)?)),
                    framed: crate::table::framed!($owned, $borrowed, $view, $look_framed $(, $framed)?),
                }),*],
                messages: crate::table::messages!($($message $message_ref $message_view { $($variant $variant_name,)+ })?),
            };
        }
    };
}

macro_rules! value {
    ($type:ty) => {
        impl crate::value::Value for $type {
            fn to_json(&self) -> Result<String, sdp::Error> {
                <$type>::to_json(self)
            }

            fn encoded_size(&self) -> usize {
                <$type>::encoded_size(self)
            }

            fn encode_to_vec(&self) -> Result<Vec<u8>, sdp::Error> {
                <$type>::encode_to_vec(self)
            }

            fn encode_to_slice(&self, out: &mut [u8]) -> Result<usize, sdp::Error> {
                <$type>::encode_to_slice(self, out)
            }

            fn append(&self, out: &mut Vec<u8>) -> Result<(), sdp::Error> {
                <$type>::append(self, out)
            }

            fn validate(&self) -> Result<(), sdp::Error> {
                <$type>::validate(self)
            }
        }
    };
}

macro_rules! framed_value {
    ($type:ty) => {
        impl crate::value::FramedValue for $type {
            fn message_to_vec(&self) -> Result<Vec<u8>, sdp::Error> {
                <$type>::message_to_vec(self)
            }

            fn message_to_slice(&self, out: &mut [u8]) -> Result<usize, sdp::Error> {
                <$type>::message_to_slice(self, out)
            }

            fn append_message(&self, out: &mut Vec<u8>) -> Result<(), sdp::Error> {
                <$type>::append_message(self, out)
            }
        }
    };
}

macro_rules! framed {
    ($owned:ty, $borrowed:ty, $view:ty, $look:ident) => {
        None
    };
    ($owned:ty, $borrowed:ty, $view:ty, $look:ident, framed) => {
        Some(crate::table::Framed {
            decode: |bytes, options| {
                crate::table::message(
                    <$owned>::decode_message_with(bytes, options),
                    <$borrowed>::decode_message_with(bytes, options),
                    <$view>::$look(bytes, options),
                )
            },
            encode: |text| Ok(<$owned>::from_json(text)?.message_to_vec()?),
        })
    };
}

macro_rules! messages {
    () => {
        None
    };
    ($message:ident $message_ref:ident $message_view:ident { $($variant:ident $name:literal,)+ }) => {{
        fn owned(message: &$message) -> crate::value::Answer<crate::table::Named> {
            match message {
                $($message::$variant(value) => crate::table::named($name, value),)+
                _ => Err(crate::value::Failure::Other("a message has no name".into())),
            }
        }

        fn borrowed(message: &$message_ref) -> crate::value::Answer<crate::table::Named> {
            match message {
                $($message_ref::$variant(value) => crate::table::named($name, value),)+
                _ => Err(crate::value::Failure::Other("a message has no name".into())),
            }
        }

        fn viewed(message: $message_view) -> crate::value::Answer<crate::table::Named> {
            match message {
                $($message_view::$variant(view) => crate::table::named($name, &$variant::from(view)),)+
                _ => Err(crate::value::Failure::Other("a message has no name".into())),
            }
        }

        Some(crate::table::Messages {
            dispatch: |bytes, options| {
                let a = $message::decode_with(bytes, options);
                let b = $message_ref::decode_with(bytes, options);
                let c = $message_view::decode_with(bytes, options);
                let a = a.map_err(Into::into).and_then(|message| owned(&message));
                let b = b.map_err(Into::into).and_then(|message| borrowed(&message));
                let c = c.map_err(Into::into).and_then(viewed);
                crate::table::same(a, [b, c])
            },
            stream: |bytes, options, each| {
                let reader = sdp::MessageReader::<_, $message>::new(bytes).with_options(options);
                crate::stream::read(reader, owned, each);
            },
        })
    }};
}

pub(crate) use {framed, framed_value, messages, schema, value};
