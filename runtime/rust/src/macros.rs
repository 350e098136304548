//! The functions of generated types that users call, and the traits of enums: they are
//! the same for all types. A program compiles only the functions that it uses.

use core::fmt;

/// The functions that encode a value, by the functions of the runtime for it.
#[doc(hidden)]
#[macro_export]
macro_rules! __encoding {
    () => {
        $crate::__encoding!(encode_to_vec, encode_to_slice, append);
    };
    (fixed) => {
        $crate::__encoding!(fixed_to_vec, fixed_to_slice, append_fixed);
    };
    ($to_vec:ident, $to_slice:ident, $append:ident) => {
        /// How many bytes the encoding has. Of a value that can't be encoded it means
        /// nothing.
        #[inline]
        #[must_use]
        pub fn encoded_size(&self) -> usize {
            $crate::wire::Encode::sdp_size(self, 1)
        }

        /// Returns the encoding in memory of its own.
        #[inline]
        pub fn encode_to_vec(
            &self,
        ) -> ::core::result::Result<$crate::alloc::vec::Vec<u8>, $crate::Error> {
            $crate::wire::$to_vec(self)
        }

        /// Writes the encoding to the front of a slice and returns its length.
        #[inline]
        pub fn encode_to_slice(
            &self,
            output: &mut [u8],
        ) -> ::core::result::Result<usize, $crate::Error> {
            $crate::wire::$to_slice(self, output)
        }

        /// Appends the encoding. It allocates only if there is no room; an error leaves
        /// the vector as it was.
        #[inline]
        pub fn append(
            &self,
            output: &mut $crate::alloc::vec::Vec<u8>,
        ) -> ::core::result::Result<(), $crate::Error> {
            $crate::wire::$append(self, output)
        }

        /// Reports the first thing that encoding would refuse.
        #[inline]
        pub fn validate(&self) -> ::core::result::Result<(), $crate::Error> {
            $crate::wire::validate(self)
        }
    };
}

/// The functions that decode a value of bytes of a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __decoding {
    ($bytes:ty) => {
        $crate::__decoding!($bytes, decode);
    };
    ($bytes:ty, fixed) => {
        $crate::__decoding!($bytes, decode_fixed);
    };
    ($bytes:ty, $decode:ident) => {
        /// Decodes bytes that are one value and nothing else.
        #[inline]
        pub fn decode(bytes: $bytes) -> ::core::result::Result<Self, $crate::Error> {
            Self::decode_with(bytes, $crate::wire::DEFAULT)
        }

        /// Decodes only bytes that encode to the same bytes again: no segment may be
        /// missing or unknown. It is for values that are signed or hashed.
        #[inline]
        pub fn decode_exact(bytes: $bytes) -> ::core::result::Result<Self, $crate::Error> {
            Self::decode_with(bytes, &$crate::DecodeOptions::new().with_exact(true))
        }

        /// Decodes by options.
        #[inline]
        pub fn decode_with(
            bytes: $bytes,
            options: &$crate::DecodeOptions,
        ) -> ::core::result::Result<Self, $crate::Error> {
            $crate::wire::$decode(bytes, options)
        }

        /// Decodes a value from the start of bytes, and says how many it has. A message
        /// has no end of its own and takes all of them.
        #[inline]
        pub fn decode_prefix(
            bytes: $bytes,
        ) -> ::core::result::Result<(Self, usize), $crate::Error> {
            Self::decode_prefix_with(bytes, $crate::wire::DEFAULT)
        }

        /// Decodes a value from the start of bytes by options.
        #[inline]
        pub fn decode_prefix_with(
            bytes: $bytes,
            options: &$crate::DecodeOptions,
        ) -> ::core::result::Result<(Self, usize), $crate::Error> {
            $crate::wire::decode_prefix(bytes, options)
        }
    };
}

/// The functions that decode into a value that is there.
#[doc(hidden)]
#[macro_export]
macro_rules! __decoding_into {
    () => {
        $crate::__decoding_into!(function decode_into);
    };
    (fixed) => {
        $crate::__decoding_into!(function decode_fixed_into);
    };
    (function $decode:ident) => {
        /// Decodes into this value and reuses its memory. After an error it holds a part
        /// of the value.
        #[inline]
        pub fn decode_into(&mut self, bytes: &[u8]) -> ::core::result::Result<(), $crate::Error> {
            self.decode_into_with(bytes, $crate::wire::DEFAULT)
        }

        /// Decodes into this value by options.
        #[inline]
        pub fn decode_into_with(
            &mut self,
            bytes: &[u8],
            options: &$crate::DecodeOptions,
        ) -> ::core::result::Result<(), $crate::Error> {
            $crate::wire::$decode(self, bytes, options)
        }
    };
}

/// The functions of message mode, with bytes of a type.
#[doc(hidden)]
#[macro_export]
macro_rules! __messages {
    ($bytes:ty) => {
        $crate::__messages!($bytes, message_to_slice, decode_message);
    };
    ($bytes:ty, fixed) => {
        $crate::__messages!($bytes, fixed_message_to_slice, decode_fixed_message);
    };
    ($bytes:ty, $to_slice:ident, $decode:ident) => {
        /// Returns the value in message mode in memory of its own.
        #[inline]
        pub fn message_to_vec(
            &self,
        ) -> ::core::result::Result<$crate::alloc::vec::Vec<u8>, $crate::Error> {
            $crate::wire::message_to_vec(self)
        }

        /// Writes the value in message mode to the front of a slice and returns its
        /// length.
        #[inline]
        pub fn message_to_slice(
            &self,
            output: &mut [u8],
        ) -> ::core::result::Result<usize, $crate::Error> {
            $crate::wire::$to_slice(self, output)
        }

        /// Appends the value in message mode: the header, then the encoding.
        #[inline]
        pub fn append_message(
            &self,
            output: &mut $crate::alloc::vec::Vec<u8>,
        ) -> ::core::result::Result<(), $crate::Error> {
            $crate::wire::append_message(self, output)
        }

        /// Decodes a message that must be of this type.
        #[inline]
        pub fn decode_message(bytes: $bytes) -> ::core::result::Result<Self, $crate::Error> {
            Self::decode_message_with(bytes, $crate::wire::DEFAULT)
        }

        /// Decodes a message that must be of this type by options.
        #[inline]
        pub fn decode_message_with(
            bytes: $bytes,
            options: &$crate::DecodeOptions,
        ) -> ::core::result::Result<Self, $crate::Error> {
            $crate::wire::$decode(bytes, options)
        }
    };
}

/// The types of a package that streams have messages of.
#[doc(hidden)]
#[macro_export]
macro_rules! __streamable {
    ($message:ident { $($name:ident),+ $(,)? }) => {
        impl $crate::Dispatch for $message {
            #[inline]
            fn knows(type_id: u16) -> bool {
                const KNOWN: &[u16] = &[$($name::TYPE_ID),+];
                KNOWN.contains(&type_id)
            }

            fn layout(type_id: u16) -> ::core::option::Option<$crate::alloc::string::String> {
                match type_id {
                    $($name::TYPE_ID => ::core::option::Option::Some($name::layout()),)+
                    _ => ::core::option::Option::None,
                }
            }

            #[inline]
            fn decode_message(
                message: &[u8],
                options: &$crate::DecodeOptions,
            ) -> ::core::result::Result<Self, $crate::Error> {
                Self::decode_with(message, options)
            }
        }
    };
}

/// The functions that make a message, whose fields later releases add to.
#[doc(hidden)]
#[macro_export]
macro_rules! __setters {
    ($($with:ident($field:ident: $type:ty),)*) => {
        /// A message without content: zero values, and the defaults of the schema.
        #[inline]
        #[must_use]
        pub fn new() -> Self {
            Self::default()
        }

        $(
            #[doc = ::core::concat!("Sets `", ::core::stringify!($field), "`.")]
            #[inline]
            #[must_use]
            pub fn $with(mut self, value: $type) -> Self {
                self.$field = value;
                self
            }
        )*
    };
}

/// The functions and traits of an open enum, which keeps numbers that have no name.
#[doc(hidden)]
#[macro_export]
macro_rules! __open_enum {
    ($name:ident: $base:ident, $full:literal {
        $($member:ident = $number:literal $text:literal,)*
    }) => {
        $crate::__declared!($name {
            types = [];
            layout = ::core::concat!(
                "enum ", $full, " ", ::core::stringify!($base), "\n"
                $(, " ", $text, " ", $number, "\n")*
            );
        });

        impl $name {
            /// The number on the wire.
            #[inline]
            #[must_use]
            pub const fn number(self) -> $base {
                match self {
                    $(Self::$member => $number,)*
                    Self::Unknown(number) => number,
                }
            }

            /// The member of a number.
            #[inline]
            #[must_use]
            pub const fn from_number(number: $base) -> Self {
                match number {
                    $($number => Self::$member,)*
                    number => Self::Unknown(number),
                }
            }

            /// The member's name in the schema.
            #[inline]
            #[must_use]
            pub const fn name(self) -> ::core::option::Option<&'static str> {
                match self {
                    $(Self::$member => ::core::option::Option::Some($text),)*
                    Self::Unknown(_) => ::core::option::Option::None,
                }
            }
        }

        impl ::core::default::Default for $name {
            #[inline]
            fn default() -> Self {
                Self::from_number(0)
            }
        }

        impl ::core::convert::From<$base> for $name {
            #[inline]
            fn from(number: $base) -> Self {
                Self::from_number(number)
            }
        }

        impl $crate::wire::Fixed for $name {
            type Bytes = <$base as $crate::wire::Fixed>::Bytes;
            const SCALAR: bool = true;

            #[inline(always)]
            fn sdp_bytes(&self) -> <$base as $crate::wire::Fixed>::Bytes {
                self.number().to_le_bytes()
            }

            #[inline(always)]
            fn sdp_from(bytes: &[u8]) -> Self {
                Self::from_number(<$base as $crate::wire::Fixed>::sdp_from(bytes))
            }
        }

        $crate::__enum_traits!($name: $base);
    };
}

/// The functions and traits of a closed enum, which has the numbers of its members. A new one is
/// the number 0, or else the first member.
#[doc(hidden)]
#[macro_export]
macro_rules! __closed_enum {
    ($name:ident: $base:ident, $full:literal { $first:ident = $($rest:tt)* }) => {
        $crate::__closed_enum!($name: $base, $full, $first, { $first = $($rest)* });
    };
    ($name:ident: $base:ident, $full:literal, $first:ident, {
        $($member:ident = $number:literal $text:literal,)*
    }) => {
        $crate::__declared!($name {
            types = [];
            layout = ::core::concat!(
                "enum ", $full, " ", ::core::stringify!($base), " closed\n"
                $(, " ", $text, " ", $number, "\n")*
            );
        });

        impl $name {
            /// The number on the wire.
            #[inline]
            #[must_use]
            pub const fn number(self) -> $base {
                match self {
                    $(Self::$member => $number,)*
                }
            }

            /// The member of a number.
            #[inline]
            #[must_use]
            pub const fn from_number(number: $base) -> ::core::option::Option<Self> {
                match number {
                    $($number => ::core::option::Option::Some(Self::$member),)*
                    _ => ::core::option::Option::None,
                }
            }

            /// The member's name in the schema.
            #[inline]
            #[must_use]
            pub const fn name(self) -> ::core::option::Option<&'static str> {
                match self {
                    $(Self::$member => ::core::option::Option::Some($text),)*
                }
            }
        }

        impl ::core::default::Default for $name {
            #[inline]
            fn default() -> Self {
                Self::from_number(0).unwrap_or(Self::$first)
            }
        }

        impl ::core::convert::TryFrom<$base> for $name {
            type Error = $crate::Error;

            #[inline]
            fn try_from(number: $base) -> ::core::result::Result<Self, $crate::Error> {
                Self::from_number(number).ok_or($crate::Error::new($crate::Kind::EnumUnknown))
            }
        }

        impl $crate::wire::Fixed for $name {
            type Bytes = <$base as $crate::wire::Fixed>::Bytes;
            const SCALAR: bool = true;
            const CHECKED: bool = true;

            #[inline(always)]
            fn sdp_valid(bytes: &[u8]) -> bool {
                Self::from_number(<$base as $crate::wire::Fixed>::sdp_from(bytes)).is_some()
            }

            #[inline(always)]
            fn sdp_bytes(&self) -> <$base as $crate::wire::Fixed>::Bytes {
                self.number().to_le_bytes()
            }

            #[inline(always)]
            fn sdp_from(bytes: &[u8]) -> Self {
                let number = <$base as $crate::wire::Fixed>::sdp_from(bytes);
                Self::from_number(number).unwrap_or_default()
            }
        }

        $crate::__enum_traits!($name: $base);
    };
}

/// The traits of any enum. Members are compared by their numbers, of which
/// an open enum has some twice.
#[doc(hidden)]
#[macro_export]
macro_rules! __enum_traits {
    ($name:ident: $base:ident) => {
        $crate::__plain_form!($name);

        impl ::core::cmp::PartialEq for $name {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                self.number() == other.number()
            }
        }

        impl ::core::cmp::Eq for $name {}

        impl ::core::cmp::PartialOrd for $name {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> ::core::option::Option<::core::cmp::Ordering> {
                ::core::option::Option::Some(::core::cmp::Ord::cmp(self, other))
            }
        }

        impl ::core::cmp::Ord for $name {
            #[inline]
            fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
                ::core::cmp::Ord::cmp(&self.number(), &other.number())
            }
        }

        impl ::core::hash::Hash for $name {
            #[inline]
            fn hash<H: ::core::hash::Hasher>(&self, state: &mut H) {
                ::core::hash::Hash::hash(&self.number(), state);
            }
        }

        impl ::core::fmt::Debug for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::wire::show_enum(self.name(), &self.number(), f)
            }
        }

        impl ::core::fmt::Display for $name {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::wire::show_enum(self.name(), &self.number(), f)
            }
        }

        impl ::core::convert::From<$name> for $base {
            #[inline]
            fn from(value: $name) -> Self {
                value.number()
            }
        }
    };
}

/// Shows an enum: a member's name, or else the number.
#[doc(hidden)]
pub fn show_enum(
    name: Option<&str>,
    number: &dyn fmt::Display,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match name {
        Some(name) => f.write_str(name),
        None => number.fmt(f),
    }
}
