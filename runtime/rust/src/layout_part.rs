//! The parts of layout texts: each declared type has a part, and the parts of all types that it
//! reaches are joined when a refusal is named or the text is asked for.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use core::ptr;

#[cfg(feature = "std")]
use crate::layout_cache::CachedTable;
use crate::layout_parse::cut;

/// A declared type of a schema.
pub trait Declared {
    /// Its part of layout texts.
    fn sdp_layout() -> &'static LayoutPart;
}

/// A declared type whose layout has a fingerprint.
pub trait Fingerprinted {
    /// Identifies the layout, all segments together.
    const FINGERPRINT: u64;
}

/// One declared type in layout texts [EVO-5.3].
#[derive(Debug)]
pub struct LayoutPart {
    text: &'static str,
    types: &'static [fn() -> &'static LayoutPart],
    #[cfg(feature = "std")]
    pub(crate) kept: CachedTable,
}

impl LayoutPart {
    /// The text is the type's block without numbers of blocks: neither its own, nor a number behind
    /// a #. Each # stands for the next of the types.
    #[must_use]
    pub const fn new(text: &'static str, types: &'static [fn() -> &'static Self]) -> Self {
        Self {
            text,
            types,
            #[cfg(feature = "std")]
            kept: CachedTable::new(),
        }
    }

    /// The canonical layout text of the type and of all that it reaches [EVO-5.2].
    pub(crate) fn join(&'static self) -> String {
        // Types get their numbers in order of first mention, depth first.
        let mut parts = Vec::new();
        // The numbers, in the order of the parts' addresses.
        let mut numbers: Vec<(*const Self, usize)> = Vec::new();
        let mut next = Vec::from([self]);
        while let Some(part) = next.pop() {
            if let Err(at) = numbers.binary_search_by_key(&ptr::from_ref(part), |entry| entry.0) {
                numbers.insert(at, (part, parts.len()));
                parts.push(part);
                next.extend(part.types.iter().rev().map(|part| part()));
            }
        }
        let room = |part: &&Self| part.text.len() + "10 ".len() + "10".len() * part.types.len();
        let mut text = String::with_capacity(parts.iter().map(room).sum());
        for (number, part) in parts.iter().enumerate() {
            // Writing to a string never fails.
            let _ = write!(text, "{number} ");
            let mut rest = part.text;
            for named in part.types {
                let Some((piece, behind)) = cut(rest, b'#') else {
                    break;
                };
                let named = ptr::from_ref(named());
                let at = numbers.partition_point(|entry| entry.0 < named);
                let _ = write!(text, "{piece}#{}", numbers[at].1);
                rest = behind;
            }
            text.push_str(rest);
        }
        text
    }
}

/// The canonical layout text of a type.
#[must_use]
pub fn layout<T: Declared>() -> String {
    T::sdp_layout().join()
}

/// The table of a declared type: its part of layout texts, and of all but an enum how it is
/// recognized and what decoding it may take.
#[doc(hidden)]
#[macro_export]
macro_rules! __declared {
    ($name:ident { types = [$($named:ty),* $(,)?]; layout = $text:expr; }) => {
        impl $crate::wire::Declared for $name {
            fn sdp_layout() -> &'static $crate::wire::LayoutPart {
                static PART: $crate::wire::LayoutPart = $crate::wire::LayoutPart::new(
                    $text,
                    &[$(<$named as $crate::wire::Declared>::sdp_layout),*],
                );
                &PART
            }
        }
    };
    ($name:ident {
        $(TYPE_ID = $id:literal;)?
        FINGERPRINTS = [$($cumulative:literal),* $(,)?];
        SEGMENT_FINGERPRINTS = [$($segment:literal),* $(,)?];
        MEMORY_FACTOR = $factor:literal;
        $($layout:tt)*
    }) => {
        $crate::__declared!($name { $($layout)* });
        $crate::__form!($name, Self, Self::MEMORY_FACTOR $(, $id)?);

        impl $crate::wire::Fingerprinted for $name {
            const FINGERPRINT: u64 = Self::FINGERPRINT;
        }

        impl $name {
            $(
                /// The type id in message mode.
                pub const TYPE_ID: u16 = $id;
            )?

            /// Identifies the layout, all segments together.
            pub const FINGERPRINT: u64 = Self::FINGERPRINTS[Self::FINGERPRINTS.len() - 1];

            /// The layout's fingerprints up to and with each segment: two peers understand each
            /// other if one's list begins with the other's.
            pub const FINGERPRINTS: &'static [u64] = &[$($cumulative),*];

            /// The fingerprint of each segment by itself.
            pub const SEGMENT_FINGERPRINTS: &'static [u64] = &[$($segment),*];

            /// Decoding n bytes allocates at most `MEMORY_FACTOR`·n bytes and 64 KiB,
            /// and once, to name a refusal, at most 16 bytes for each byte of `layout()`.
            pub const MEMORY_FACTOR: usize = $factor;

            /// The canonical text of the layout, from which a peer can tell which field differs.
            #[must_use]
            pub fn layout() -> $crate::alloc::string::String {
                $crate::wire::layout::<Self>()
            }
        }
    };
}

/// The table of a form of a type: which type it is of, what decoding it may allocate, and its
/// id if it has one.
#[doc(hidden)]
#[macro_export]
macro_rules! __form {
    ($form:ty, $type:ty, $factor:expr) => {
        impl $crate::wire::Value for $form {
            type Declared = $type;
            const FACTOR: usize = $factor;
        }
    };
    ($form:ty, $type:ty, $factor:expr, $id:expr) => {
        $crate::__form!($form, $type, $factor);

        impl $crate::wire::Identified for $form {
            const TYPE_ID: u16 = $id;
        }
    };
}
