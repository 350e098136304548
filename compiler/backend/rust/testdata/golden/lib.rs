//! What `sdp gen` makes of the schemas that every language is tested with, and of
//! two releases of another, and of one for Rust alone. Generated code needs `alloc` alone.
#![no_std]

pub mod odd;
pub mod plugins;
pub mod shapes;
/// A package whose texts try to be code, also that of the tests in its comments.
#[path = "../../../../../mxp/rust/tests/stubs/golden/texts.rs"]
pub mod texts;
/// The first release of a package.
pub mod v1 {
    pub mod evolution;
}
/// The second release of the package.
pub mod v2 {
    pub mod evolution;
}
