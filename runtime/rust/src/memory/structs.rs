//! Structs of fixed size, whose codec is made of a table of their fields. A struct lies in
//! memory as on the wire if its fields do, in their order and without padding, which is known
//! when it is compiled.

/// How a struct is read and written by value: its bytes, levels and elements, and its fields
/// and their types.
#[doc(hidden)]
#[macro_export]
macro_rules! __fixed_struct {
    ($name:ident: $bytes:literal, $levels:literal, $elements:literal {
        $($field:ident: $type:ty,)*
    }) => {
        #[allow(unused_assignments, unused_mut, unused_variables)]
        impl $crate::wire::Fixed for $name {
            type Bytes = [u8; $bytes];
            const CHECKED: bool = false $(|| <$type as $crate::wire::Fixed>::CHECKED)*;
            const LEVELS: usize = $levels;
            const ELEMENTS: usize = $elements;
            const AS_WIRE: ::core::option::Option<$crate::wire::AsWire<Self>> = {
                let mut at = 0;
                let mut fits = true;
                $(
                    fits = fits
                        && ::core::mem::offset_of!($name, $field) == at
                        && <$type as $crate::wire::Fixed>::AS_WIRE.is_some();
                    at += ::core::mem::size_of::<$type>();
                )*
                if fits && at == ::core::mem::size_of::<$name>() {
                    // SAFETY: the fields, whose types `sdp_from` compares with the struct's,
                    // lie as on the wire themselves, and fill it in their order.
                    ::core::option::Option::Some(unsafe { $crate::wire::AsWire::new() })
                } else {
                    ::core::option::Option::None
                }
            };

            #[inline(always)]
            fn sdp_bytes(&self) -> Self::Bytes {
                let mut run = [0; $bytes];
                let mut at = 0;
                $(
                    $crate::wire::put(&mut run, at, &self.$field);
                    at += <$type as $crate::wire::Fixed>::SIZE;
                )*
                run
            }

            #[inline(always)]
            fn sdp_valid(bytes: &[u8]) -> bool {
                let mut at = 0;
                $(
                    let part = $crate::wire::part(bytes, at, <$type as $crate::wire::Fixed>::SIZE);
                    if !<$type as $crate::wire::Fixed>::sdp_valid(part) {
                        return false;
                    }
                    at += part.len();
                )*
                true
            }

            #[inline(always)]
            fn sdp_from(bytes: &[u8]) -> Self {
                let mut at = 0;
                Self {
                    $($field: {
                        let n = <$type as $crate::wire::Fixed>::SIZE;
                        at += n;
                        <$type as $crate::wire::Fixed>::sdp_from($crate::wire::part(bytes, at - n, n))
                    },)*
                }
            }
        }
    };
}
