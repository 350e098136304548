//! The part of a generated client that channels are opened by, of the types in `golden`. All of
//! one is compiled where documents are tested, and run by `conformance/realtime`.

use mxp::net::typed::{Codec, Method, Refusal};
use sdp::wire;

use crate::golden::meters::{Block, Level};

pub(crate) struct MetersClient;

impl MetersClient {
    pub(crate) const LEVELS: Method<Level, Level, Wire> =
        Method::new("meters.Meters", 1, "levels", codec(), codec()).fixed(14, 14);
    pub(crate) const BLOCKS: Method<Block, Level, Wire> =
        Method::new("meters.Meters", 2, "blocks", codec(), codec()).fixed(114_688, 14);
}

/// A codec that nothing here uses.
const fn codec<T>() -> Codec<T> {
    Codec::new(|_| Err(unused()), |_| Err(unused()))
}

fn unused() -> Refusal {
    Refusal::new("unused", "")
}

mxp::net::typed::fixed_values!(wire);
