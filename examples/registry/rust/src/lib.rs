//! The code that `sdp gen` made of the registry's schema, for the program beside it and for
//! the examples of the guide.

pub mod plugins;

/// The guide's examples, which are compiled and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/rust.md")]
pub struct Guide;
