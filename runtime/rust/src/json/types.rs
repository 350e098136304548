//! The JSON of declared types, which is made of tables of their names.

/// JSON of a struct or message in its forms, the owned one first.
#[doc(hidden)]
#[macro_export]
macro_rules! __json_record {
    ($type:ident $(, $form:ty)*: $of:ident $fields:tt) => {
        const _: () = {
            $crate::__json_record!(members $of $fields);
            $crate::__json_record!(write $type, $fields);
            $($crate::__json_record!(write $form, $fields);)*
            $crate::__json_record!(read $type, $fields);
        };
        $crate::__json_text!($type $(, $form)*);
    };
    (members $of:ident {
        $($field:ident: $presence:ident($key:literal, $name:literal),)* $(..$tail:ident)?
    }) => {
        const MEMBERS: $crate::json::Object = $crate::json::Object::$of(&[
            $($crate::json::Field::$presence($key, $name),)*
            $($crate::json::Field::$tail(),)?
        ]);
    };
    (write $type:ty, {
        $($field:ident: $presence:ident($key:literal, $name:literal),)* $(..$tail:ident)?
    }) => {
        impl $crate::json::ToJson for $type {
            #[inline]
            fn write_json(
                &self,
                writer: &mut $crate::json::Writer,
            ) -> ::core::result::Result<(), $crate::Error> {
                writer.object(&MEMBERS, &[$(&self.$field,)* $(&self.$tail,)?])
            }
        }
    };
    (read $type:ident, {
        $($field:ident: $presence:ident($key:literal, $name:literal),)* $(..$tail:ident)?
    }) => {
        impl $crate::json::FromJson for $type {
            #[inline]
            fn read_json(
                value: $crate::json::Value<'_>,
            ) -> ::core::result::Result<Self, $crate::Error> {
                let mut read = Self::default();
                value.object(&MEMBERS, &mut [$(&mut read.$field,)* $(&mut read.$tail,)?])?;
                ::core::result::Result::Ok(read)
            }
        }
    };
}

/// JSON of a union in its forms, the owned one first.
#[doc(hidden)]
#[macro_export]
macro_rules! __json_union {
    ($type:ident $(, $form:ty)*: $of:ident $alternatives:tt) => {
        const _: () = {
            $crate::__json_union!(table $of $alternatives);
            $crate::__json_union!(write $type, $alternatives);
            $($crate::__json_union!(write $form, $alternatives);)*
            $crate::__json_union!(read $type, $alternatives);
        };
        $crate::__json_text!($type $(, $form)*);
    };
    (table $of:ident {
        $($tag:literal $variant:ident $(($payload:ident))?: $key:literal, $name:literal;)*
        $(..$unknown:ident)?
    }) => {
        const ALTERNATIVES: $crate::json::Union = $crate::json::Union::$of(&[
            $($crate::json::Alternative::new($tag, $key, $name),)*
        ]);
    };
    (write $type:ty, {
        $($tag:literal $variant:ident $(($payload:ident))?: $key:literal, $name:literal;)*
        $(..$unknown:ident)?
    }) => {
        impl $crate::json::ToJson for $type {
            #[inline]
            fn write_json(
                &self,
                writer: &mut $crate::json::Writer,
            ) -> ::core::result::Result<(), $crate::Error> {
                match self {
                    $(Self::$variant $(($payload))? => writer.alternative(
                        &ALTERNATIVES,
                        $tag,
                        $crate::__json_union!(payload $($payload)?),
                    ),)*
                    $(Self::$unknown { tag, payload } => {
                        writer.unknown(&ALTERNATIVES, *tag, payload)
                    })?
                }
            }
        }
    };
    (read $type:ident, {
        $($tag:literal $variant:ident $(($payload:ident))?: $key:literal, $name:literal;)*
        $(..$unknown:ident)?
    }) => {
        impl $crate::json::FromJson for $type {
            #[inline]
            fn read_json(
                value: $crate::json::Value<'_>,
            ) -> ::core::result::Result<Self, $crate::Error> {
                value.union(&ALTERNATIVES, |tag, value| match tag {
                    $($tag => $crate::__json_union!(read value $variant $($payload)?),)*
                    $(0 => value
                        .unknown(&ALTERNATIVES)
                        .map(|(tag, payload)| Self::$unknown { tag, payload }),)?
                    _ => ::core::result::Result::Err(value.refusal()),
                })
            }
        }
    };
    (payload) => {
        &()
    };
    (payload $payload:ident) => {
        $payload
    };
    (read $value:ident $variant:ident) => {
        $value.null().map(|()| Self::$variant)
    };
    (read $value:ident $variant:ident $payload:ident) => {
        $value.read().map(Self::$variant)
    };
}

/// The functions that users call, of a type in its forms, the owned one first.
#[doc(hidden)]
#[macro_export]
macro_rules! __json_text {
    ($type:ident $(, $form:ty)*) => {
        $crate::__json_text!(write $type);
        $($crate::__json_text!(write $form);)*

        impl $type {
            /// Reads JSON, a string or bytes.
            #[inline]
            pub fn from_json(
                text: impl ::core::convert::AsRef<[u8]>,
            ) -> ::core::result::Result<Self, $crate::Error> {
                $crate::json::from_text(text)
            }
        }
    };
    (write $type:ty) => {
        impl $type {
            /// Returns the canonical JSON.
            #[inline]
            pub fn to_json(
                &self,
            ) -> ::core::result::Result<$crate::alloc::string::String, $crate::Error> {
                $crate::json::to_string(self)
            }
        }
    };
}

/// JSON of an open or closed enum, also as the key of a map.
#[doc(hidden)]
#[macro_export]
macro_rules! __json_enum {
    ($type:ident: $base:ident, $of:ident { $($key:literal = $number:literal,)* }) => {
        const _: () = {
            const MEMBERS: $crate::json::Enum<$base> =
                $crate::json::Enum(&[$(($key, $number)),*]);

            impl $crate::json::ToJson for $type {
                #[inline]
                fn write_json(
                    &self,
                    writer: &mut $crate::json::Writer,
                ) -> ::core::result::Result<(), $crate::Error> {
                    MEMBERS.write(self.number(), writer);
                    ::core::result::Result::Ok(())
                }
            }

            impl $crate::json::FromJson for $type {
                #[inline]
                fn read_json(
                    value: $crate::json::Value<'_>,
                ) -> ::core::result::Result<Self, $crate::Error> {
                    MEMBERS.read(value, $crate::__json_enum!($of))
                }
            }

            impl $crate::json::ToKey for $type {
                #[inline]
                fn write_key(&self, writer: &mut $crate::json::Writer) {
                    MEMBERS.write_key(self.number(), writer);
                }
            }

            impl $crate::json::FromKey for $type {
                #[inline]
                fn read_key(text: &str) -> ::core::option::Option<Self> {
                    MEMBERS.read_key(text).and_then($crate::__json_enum!($of))
                }
            }
        };
    };
    (open) => {
        |number| ::core::option::Option::Some(Self::from_number(number))
    };
    (closed) => {
        Self::from_number
    };
}
