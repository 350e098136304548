//! The functions that all generated types have, as a trait, and which of them a
//! type lacks.

use std::fmt::Debug;
use std::hash::Hash;

use golden::{plugins, shapes};
use sdp::{DecodeOptions, Error};

/// A generated type that owns what it holds.
pub(crate) trait Value: Debug + Clone + Default + Eq + Hash {
    const FACTOR: usize;

    fn layout() -> String;
    fn encoded_size(&self) -> usize;
    fn encode_to_vec(&self) -> Result<Vec<u8>, Error>;
    fn encode_to_slice(&self, out: &mut [u8]) -> Result<usize, Error>;
    fn append(&self, out: &mut Vec<u8>) -> Result<(), Error>;
    fn validate(&self) -> Result<(), Error>;
    fn decode_with(bytes: &[u8], options: &DecodeOptions) -> Result<Self, Error>;
    fn decode_into_with(&mut self, bytes: &[u8], options: &DecodeOptions) -> Result<(), Error>;
    fn decode_prefix_with(bytes: &[u8], options: &DecodeOptions) -> Result<(Self, usize), Error>;

    /// Decodes the borrowed form, and says whether that worked.
    fn borrow_with(bytes: &[u8], options: &DecodeOptions) -> Result<(), Error>;
    /// Decodes the borrowed form and makes this type of it. The borrowed form must
    /// encode as it was decoded, and be equal to what this type lends.
    fn owned_from_borrowed(bytes: &[u8], options: &DecodeOptions) -> Result<Self, Error>;
    fn borrow_prefix_with(bytes: &[u8], options: &DecodeOptions) -> Result<(Self, usize), Error>;
    /// Validates a view, and says whether that worked.
    fn view_with(bytes: &[u8], options: &DecodeOptions) -> Result<(), Error>;
    /// Makes this type of a view.
    fn owned_from_view(bytes: &[u8], options: &DecodeOptions) -> Result<Self, Error>;
    /// The text of all that a view shows, with the names of owned types.
    fn shown_by_view(bytes: &[u8], options: &DecodeOptions) -> Result<String, Error>;
    #[cfg(feature = "serde")]
    fn to_json(&self) -> Result<String, Error>;
    #[cfg(feature = "serde")]
    fn from_json(text: &[u8]) -> Result<Self, Error>;
}

macro_rules! values {
    ($($path:ty $(=> $borrowed:ty)? $(, $view:ty)?;)+) => {$(
        impl Value for $path {
            const FACTOR: usize = <$path>::MEMORY_FACTOR;

            fn layout() -> String {
                <$path>::layout()
            }
            fn encoded_size(&self) -> usize {
                <$path>::encoded_size(self)
            }
            fn encode_to_vec(&self) -> Result<Vec<u8>, Error> {
                <$path>::encode_to_vec(self)
            }
            fn encode_to_slice(&self, out: &mut [u8]) -> Result<usize, Error> {
                <$path>::encode_to_slice(self, out)
            }
            fn append(&self, out: &mut Vec<u8>) -> Result<(), Error> {
                <$path>::append(self, out)
            }
            fn validate(&self) -> Result<(), Error> {
                <$path>::validate(self)
            }
            fn decode_with(bytes: &[u8], options: &DecodeOptions) -> Result<Self, Error> {
                <$path>::decode_with(bytes, options)
            }
            fn decode_into_with(&mut self, bytes: &[u8], options: &DecodeOptions) -> Result<(), Error> {
                <$path>::decode_into_with(self, bytes, options)
            }
            fn decode_prefix_with(bytes: &[u8], options: &DecodeOptions) -> Result<(Self, usize), Error> {
                <$path>::decode_prefix_with(bytes, options)
            }
            borrowing!($path $(=> $borrowed)?);
            viewing!($path $(, $view)?);
            #[cfg(feature = "serde")]
            fn to_json(&self) -> Result<String, Error> {
                <$path>::to_json(self)
            }
            #[cfg(feature = "serde")]
            fn from_json(text: &[u8]) -> Result<Self, Error> {
                <$path>::from_json(text)
            }
        }
    )+};
}

/// A type without text, bytes or lists of numbers has nothing to borrow, and no
/// borrowed form.
macro_rules! borrowing {
    ($path:ty) => {
        fn borrow_with(bytes: &[u8], options: &DecodeOptions) -> Result<(), Error> {
            <$path>::decode_with(bytes, options).map(drop)
        }
        fn owned_from_borrowed(bytes: &[u8], options: &DecodeOptions) -> Result<Self, Error> {
            <$path>::decode_with(bytes, options)
        }
        fn borrow_prefix_with(
            bytes: &[u8],
            options: &DecodeOptions,
        ) -> Result<(Self, usize), Error> {
            <$path>::decode_prefix_with(bytes, options)
        }
    };
    ($path:ty => $borrowed:ty) => {
        fn borrow_with(bytes: &[u8], options: &DecodeOptions) -> Result<(), Error> {
            <$borrowed>::decode_with(bytes, options).map(drop)
        }
        fn owned_from_borrowed(bytes: &[u8], options: &DecodeOptions) -> Result<Self, Error> {
            let borrowed = <$borrowed>::decode_with(bytes, options)?;
            let owned = <$path>::from(&borrowed);
            assert_eq!(<$borrowed>::from(&owned), borrowed);
            assert_eq!(borrowed.encode_to_vec(), owned.encode_to_vec());
            assert_eq!(borrowed.encoded_size(), owned.encoded_size());
            assert_eq!(borrowed.validate(), owned.validate());
            Ok(<$path>::from(borrowed))
        }
        fn borrow_prefix_with(
            bytes: &[u8],
            options: &DecodeOptions,
        ) -> Result<(Self, usize), Error> {
            let (borrowed, used) = <$borrowed>::decode_prefix_with(bytes, options)?;
            Ok((borrowed.into(), used))
        }
    };
}

/// A type of fixed size has nothing to show that it is not itself.
macro_rules! viewing {
    ($path:ty) => {
        fn view_with(bytes: &[u8], options: &DecodeOptions) -> Result<(), Error> {
            <$path>::decode_with(bytes, options).map(drop)
        }
        fn owned_from_view(bytes: &[u8], options: &DecodeOptions) -> Result<Self, Error> {
            <$path>::decode_with(bytes, options)
        }
        fn shown_by_view(bytes: &[u8], options: &DecodeOptions) -> Result<String, Error> {
            let value = <$path>::decode_with(bytes, options)?;
            Ok(format!("{value:?}"))
        }
    };
    ($path:ty, $view:ty) => {
        fn view_with(bytes: &[u8], options: &DecodeOptions) -> Result<(), Error> {
            <$view>::with(bytes, options).map(drop)
        }
        fn owned_from_view(bytes: &[u8], options: &DecodeOptions) -> Result<Self, Error> {
            <$view>::with(bytes, options).map(Into::into)
        }
        fn shown_by_view(bytes: &[u8], options: &DecodeOptions) -> Result<String, Error> {
            let view = <$view>::with(bytes, options)?;
            Ok(format!("{view:?}").replace("View {", " {"))
        }
    };
}

values! {
    plugins::Parameter => plugins::ParameterRef<'_>, plugins::ParameterView<'_>;
    plugins::Plugin => plugins::PluginRef<'_>, plugins::PluginView<'_>;
    plugins::PluginRegistry => plugins::PluginRegistryRef<'_>, plugins::PluginRegistryView<'_>;
    shapes::Scalars;
    shapes::Point;
    shapes::Large => shapes::LargeRef<'_>, shapes::LargeView<'_>;
    shapes::Node, shapes::NodeView<'_>;
    shapes::Settings => shapes::SettingsRef<'_>, shapes::SettingsView<'_>;
    shapes::Kept => shapes::KeptRef<'_>, shapes::KeptView<'_>;
    shapes::Event => shapes::EventRef<'_>, shapes::EventView<'_>;
    shapes::EventChanged;
    shapes::Choice => shapes::ChoiceRef<'_>, shapes::ChoiceView<'_>;
    shapes::Everything => shapes::EverythingRef<'_>, shapes::EverythingView<'_>;
    shapes::Absent => shapes::AbsentRef<'_>, shapes::AbsentView<'_>;
    shapes::Late => shapes::LateRef<'_>, shapes::LateView<'_>;
    shapes::Log => shapes::LogRef<'_>, shapes::LogView<'_>;
    shapes::Sparse => shapes::SparseRef<'_>, shapes::SparseView<'_>;
    shapes::Tree, shapes::TreeView<'_>;
    shapes::Grid => shapes::GridRef<'_>, shapes::GridView<'_>;
    shapes::Empty => shapes::EmptyRef<'_>, shapes::EmptyView<'_>;
}
