//! Makes generated types serde's.

/// Lets serde write a struct, message or union in its forms, and read the owned one, which
/// is the first.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_value {
    ($type:ident $(, $form:ty)*) => {
        $crate::__serde_value!(serialize $type, |value, serializer| $crate::serde::serialize(value, serializer));
        $($crate::__serde_value!(serialize $form, |value, serializer| $crate::serde::serialize(value, serializer));)*
        $crate::__serde_value!(deserialize $type, |deserializer| $crate::serde::deserialize(deserializer));
    };
    (serialize $type:ty, |$value:ident, $serializer:ident| $written:expr) => {
        impl $crate::serde::Serialize for $type {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                $serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                let $value = self;
                $written
            }
        }
    };
    (deserialize $type:ty, |$deserializer:ident| $read:expr) => {
        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                $deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $read
            }
        }
    };
}

/// Lets serde write and read an open or closed enum.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_enum {
    ($type:ident: $of:ident) => {
        $crate::__serde_value!(serialize $type, |value, serializer| {
            $crate::serde::serialize_enum(value, value.number(), serializer)
        });
        $crate::__serde_value!(deserialize $type, |deserializer| {
            $crate::serde::deserialize_enum(deserializer, $crate::__json_enum!($of))
        });
    };
}
