//! The JSON of types that are made of other types.

use alloc::borrow::{Cow, ToOwned};
use alloc::boxed::Box;
use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::vec::Vec;

use super::{FromJson, FromKey, ToJson, ToKey, Value, Writer};
use crate::Error;

impl<T: ToJson + ?Sized> ToJson for &T {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        (**self).write_json(writer)
    }
}

impl<T: ToJson + ?Sized> ToJson for Box<T> {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        (**self).write_json(writer)
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        T::read_boxed(value)
    }
}

impl<T: ToJson + ToOwned + ?Sized> ToJson for Cow<'_, T> {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        (**self).write_json(writer)
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        match self {
            Some(value) => value.write_json(writer),
            None => ().write_json(writer),
        }
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        if value.is("null") {
            return Ok(None);
        }
        value.read().map(Some)
    }
}

impl<T: ToJson> ToJson for [T] {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        T::write_list(self, writer)
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        T::write_list(self, writer)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        T::read_list(value)
    }
}

/// An array, also of `u8` [JSON-3.3].
impl<T: ToJson, const N: usize> ToJson for [T; N] {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.array(self)
    }
}

impl<T: FromJson, const N: usize> FromJson for [T; N] {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        Self::read_boxed(value).map(|array| *array)
    }

    fn read_boxed(value: Value<'_>) -> Result<Box<Self>, Error> {
        let mut array = Vec::new();
        for (i, element) in value.elements()?.enumerate() {
            if i == N {
                return Err(element.refusal().in_element(i));
            }
            array.push(element.read().map_err(|e: Error| e.in_element(i))?);
        }
        let array: Box<[T]> = array.into();
        array.try_into().map_err(|_| value.refusal())
    }
}

impl<K: ToKey, V: ToJson> ToJson for BTreeMap<K, V> {
    fn write_json(&self, writer: &mut Writer) -> Result<(), Error> {
        writer.tokens("{");
        for (i, (key, value)) in self.iter().enumerate() {
            writer.comma(i);
            key.write_key(writer);
            writer.tokens(":");
            let written = value.write_json(writer);
            written.map_err(|e| e.in_field("value").in_element(i))?;
        }
        writer.tokens("}");
        Ok(())
    }
}

impl<K: FromKey + Ord, V: FromJson> FromJson for BTreeMap<K, V> {
    fn read_json(value: Value<'_>) -> Result<Self, Error> {
        let mut map = Self::new();
        for (i, (key, value)) in value.members()?.enumerate() {
            let parsed = key.parsed(K::read_key);
            let parsed = parsed.map_err(|e| e.in_field("key").in_element(i))?;
            let Entry::Vacant(entry) = map.entry(parsed) else {
                return Err(key.refusal().in_field("key").in_element(i));
            };
            let read = value.read();
            entry.insert(read.map_err(|e: Error| e.in_field("value").in_element(i))?);
        }
        Ok(map)
    }
}
