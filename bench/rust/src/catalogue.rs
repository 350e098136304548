//! The data sets, with the codecs that are compared on each.

use std::path::Path;

use crate::dataset::{
    Data, Frame, FrameCows, FrameSlices, Logs, LogsRef, Mesh, Players, PlayersRef, PluginRegistry,
    PluginRegistryRef, Primitives, Updates,
};
use crate::peers::{
    bincode, bitcode, capnp, flatbuffers, postcard, prost, reference, rkyv, rkyv_sums, serde_json,
    speedy, wincode,
};
#[cfg(feature = "sdp")]
use crate::sdp;
use crate::subject::Subject;

/// A data set's name and its codecs, made on demand: some of the data is large.
pub struct Dataset {
    pub name: &'static str,
    open: fn(&Path) -> Vec<Subject>,
}

impl Dataset {
    const fn of<T: Data>(open: fn(&Path) -> Vec<Subject>) -> Self {
        Self {
            name: T::NAME,
            open,
        }
    }

    /// Every codec on the data; `folder` is that of the data files.
    pub fn open(&self, folder: &Path) -> Vec<Subject> {
        (self.open)(folder)
    }
}

pub const ALL: [Dataset; 7] = [
    Dataset::of::<PluginRegistry>(plugins),
    Dataset::of::<Primitives>(primitives),
    Dataset::of::<Frame>(arrays),
    Dataset::of::<Logs>(log),
    Dataset::of::<Mesh>(mesh),
    Dataset::of::<Players>(minecraft),
    Dataset::of::<Updates>(mk48),
];

fn load<T: Data>(folder: &Path) -> &'static T {
    Box::leak(Box::new(T::load(folder)))
}

/// The codecs that need nothing but the type, and that of its borrowed form if it has one.
macro_rules! by_derive {
    ($data:expr, $borrowed:ty) => {
        vec![
            bincode::borrowing::<_, $borrowed>($data),
            bitcode::borrowing::<_, $borrowed>($data),
            capnp::subject($data),
            flatbuffers::subject($data),
            postcard::borrowing::<_, $borrowed>($data),
            prost::subject($data),
            serde_json::borrowing::<_, $borrowed>($data),
            speedy::borrowing::<_, $borrowed>($data),
            wincode::borrowing::<_, $borrowed>($data),
            reference::clone($data),
        ]
    };
    ($data:expr) => {
        vec![
            bincode::subject($data),
            bitcode::subject($data),
            capnp::subject($data),
            flatbuffers::subject($data),
            postcard::subject($data),
            prost::subject($data),
            serde_json::subject($data),
            speedy::subject($data),
            wincode::subject($data),
            reference::clone($data),
        ]
    };
}

fn plugins(folder: &Path) -> Vec<Subject> {
    let data = load::<PluginRegistry>(folder);
    let mut all = by_derive!(data, PluginRegistryRef);
    all.push(rkyv::subject(data, rkyv_sums::plugins));
    #[cfg(feature = "sdp")]
    all.push(sdp::plugins(data));
    all
}

fn primitives(folder: &Path) -> Vec<Subject> {
    let data = load::<Primitives>(folder);
    let mut all = by_derive!(data);
    all.push(rkyv::subject(data, rkyv_sums::primitives));
    #[cfg(feature = "sdp")]
    all.push(sdp::primitives(data));
    all
}

fn arrays(folder: &Path) -> Vec<Subject> {
    let data = load::<Frame>(folder);
    let mut all = vec![
        bincode::subject(data),
        bitcode::subject(data),
        capnp::subject(data),
        flatbuffers::subject(data),
        postcard::subject(data),
        prost::subject(data),
        serde_json::subject(data),
        speedy::borrowing::<_, FrameCows>(data),
        wincode::borrowing::<_, FrameSlices>(data),
        reference::clone(data),
    ];
    all.push(rkyv::subject(data, rkyv_sums::arrays));
    #[cfg(feature = "sdp")]
    all.push(sdp::arrays(data));
    all.push(reference::copy(data));
    all
}

fn log(folder: &Path) -> Vec<Subject> {
    let data = load::<Logs>(folder);
    let mut all = by_derive!(data, LogsRef);
    all.push(rkyv::subject(data, rkyv_sums::log));
    #[cfg(feature = "sdp")]
    all.push(sdp::log(data));
    all
}

fn mesh(folder: &Path) -> Vec<Subject> {
    let data = load::<Mesh>(folder);
    let mut all = by_derive!(data);
    all.push(rkyv::subject(data, rkyv_sums::mesh));
    #[cfg(feature = "sdp")]
    all.push(sdp::mesh(data));
    all
}

fn minecraft(folder: &Path) -> Vec<Subject> {
    let data = load::<Players>(folder);
    let mut all = by_derive!(data, PlayersRef);
    all.push(rkyv::subject(data, rkyv_sums::minecraft));
    #[cfg(feature = "sdp")]
    all.push(sdp::minecraft(data));
    all
}

fn mk48(folder: &Path) -> Vec<Subject> {
    let data = load::<Updates>(folder);
    let mut all = by_derive!(data);
    all.push(rkyv::subject(data, rkyv_sums::mk48));
    #[cfg(feature = "sdp")]
    all.push(sdp::mk48(data));
    all
}
