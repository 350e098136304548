//! The data as plain Rust values, which every codec is fed from and compared with. Codecs that work by derive
//! use these very types; the others have types of their own. Nothing here knows of time.

mod arrays;
mod log;
mod mesh;
mod minecraft;
mod minecraft_generate;
mod minecraft_ref;
mod mk48;
mod mk48_generate;
mod plugins;
mod primitives;
mod random;
mod sum;
#[cfg(test)]
mod tests;

use std::fmt::Debug;
use std::path::Path;

pub use arrays::*;
pub use log::*;
pub use mesh::*;
pub use minecraft::*;
pub use minecraft_ref::*;
pub use mk48::*;
pub use plugins::*;
pub use primitives::*;
pub use sum::Sum;

/// One set of data.
pub trait Data: Clone + PartialEq + Debug + 'static {
    /// The name that results and the command line call it by.
    const NAME: &'static str;

    /// The value: read from `bench/data`, or made from its seed.
    fn load(data: &Path) -> Self;

    /// The sum of a reader that reads the usual fields of this data set: all of them, or the fields that the
    /// public suite reads in its own.
    fn sum(&self) -> u64;
}

/// Derives what the codecs want on an owned type.
macro_rules! owned {
    ($($item:item)*) => {$(
        #[derive(
            Clone, Debug, PartialEq,
            ::serde::Serialize, ::serde::Deserialize,
            ::bincode::Encode, ::bincode::Decode,
            ::bitcode::Encode, ::bitcode::Decode,
            ::wincode::SchemaWrite, ::wincode::SchemaRead,
            ::speedy::Writable, ::speedy::Readable,
            ::rkyv::Archive, ::rkyv::Serialize, ::rkyv::Deserialize,
        )]
        $item
    )*};
}

/// Derives what the codecs want on a type whose strings borrow from the bytes.
macro_rules! borrowed {
    ($($item:item)*) => {$(
        #[derive(
            Debug, PartialEq,
            ::serde::Deserialize, ::bincode::BorrowDecode, ::bitcode::Decode, ::wincode::SchemaRead, ::speedy::Readable,
        )]
        $item
    )*};
}

use {borrowed, owned};

fn read_json<T: serde::de::DeserializeOwned>(data: &Path, name: &str) -> T {
    let path = data.join(name);
    let text = std::fs::read(&path).unwrap_or_else(|flaw| panic!("{}: {flaw}", path.display()));
    serde_json::from_slice(&text).unwrap_or_else(|flaw| panic!("{}: {flaw}", path.display()))
}
