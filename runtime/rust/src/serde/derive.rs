//! Makes generated types serde's.

/// Lets serde write a struct, message or union in its forms, and read the owned one, which
/// is the first.
#[doc(hidden)]
#[macro_export]
macro_rules! __serde_value {
    ($type:ident $(, $form:ty)*) => {
        $crate::__serde_value!(serialize $type, |value, to| $crate::serde::serialize(value, to));
        $($crate::__serde_value!(serialize $form, |value, to| $crate::serde::serialize(value, to));)*
        $crate::__serde_value!(deserialize $type, |from| $crate::serde::deserialize(from));
    };
    (serialize $type:ty, |$value:ident, $to:ident| $written:expr) => {
        impl $crate::serde::Serialize for $type {
            fn serialize<S: $crate::serde::Serializer>(
                &self,
                $to: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                let $value = self;
                $written
            }
        }
    };
    (deserialize $type:ty, |$from:ident| $read:expr) => {
        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                $from: D,
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
        $crate::__serde_value!(serialize $type, |value, to| {
            $crate::serde::serialize_enum(value, value.number(), to)
        });
        $crate::__serde_value!(deserialize $type, |from| {
            $crate::serde::deserialize_enum(from, $crate::__json_enum!($of))
        });
    };
}
