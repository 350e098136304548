//! Values of fixed size, as they lie in memory that two programs share.

/// How values of a type that always take the same number of bytes lie in memory. The type `Wire`
/// implements it, which `sdp gen` makes beside clients and servers.
pub trait Fixed<T> {
    /// Identifies the layout of the type.
    const FINGERPRINT: u64;

    /// Writes a value into as many bytes. Returns whether it has as many.
    fn put(value: &T, output: &mut [u8]) -> bool;

    /// The value of as many bytes, unless they are none.
    fn get(bytes: &[u8]) -> Option<T>;

    /// Replaces a value by that of as many bytes. Returns false if they are none: then a part of it
    /// may have been replaced.
    fn get_into(value: &mut T, bytes: &[u8]) -> bool;
}

/// Makes the type `Wire` of the generated code around it, by the runtime's functions.
#[doc(hidden)]
#[macro_export]
macro_rules! __fixed_values {
    ($wire:ident) => {
        /// How values of fixed size lie in memory that two programs share.
        #[derive(Debug, Clone, Copy)]
        pub struct Wire;

        impl<T> $crate::net::typed::Fixed<T> for Wire
        where
            T: $wire::Encode + $wire::DecodeInto + for<'a> $wire::Decode<'a> + $wire::Fingerprinted,
        {
            const FINGERPRINT: u64 = T::FINGERPRINT;

            #[inline]
            fn put(value: &T, output: &mut [u8]) -> bool {
                $wire::put_whole(value, output)
            }

            #[inline]
            fn get(bytes: &[u8]) -> ::core::option::Option<T> {
                $wire::get_whole(bytes)
            }

            #[inline]
            fn get_into(value: &mut T, bytes: &[u8]) -> bool {
                $wire::get_whole_into(value, bytes)
            }
        }
    };
}

pub use crate::__fixed_values as fixed_values;
