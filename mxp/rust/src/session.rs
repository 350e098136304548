//! Sessions: what the two ends of a connection say to each other in frames
//! [MXP-5].
//!
//! A [`Session`] is the state of one end. It does no input or output and reads no clock:
//! [`Session::receive`] takes received bytes, [`Session::tick`] takes the time, and
//! [`Session::poll_frame`] returns the frames to be sent. The same calls with the same arguments
//! have the same results.
//!
//! ```
//! use mxp::session::{Config, Incoming, Request, Role, Session};
//!
//! let mut asking = Session::new(Config::new(), Role::Opener, 0)?;
//! let mut serving = Session::new(Config::new().with_service("demo.Echo"), Role::Acceptor, 0)?;
//!
//! /// Carries all that waits from one end to the other, and gives what is told there.
//! fn carry(from: &mut Session, to: &mut Session, mut told: impl FnMut(Incoming<'_>)) {
//!     while let Some(frame) = from.poll_frame(0) {
//!         let bytes = frame.to_vec();
//!         let mut rest = &bytes[..];
//!         while let Some(incoming) = to.receive(&mut rest, 0) {
//!             told(incoming);
//!         }
//!     }
//! }
//!
//! carry(&mut asking, &mut serving, |told| assert!(matches!(told, Incoming::Ready(_))));
//! carry(&mut serving, &mut asking, |told| assert!(matches!(told, Incoming::Ready(_))));
//! let id = asking.call(&Request::new(0, 1), b"hello", 0)?;
//! carry(&mut asking, &mut serving, |told| {
//!     assert!(matches!(told, Incoming::Call(call) if call.id == id && call.value == b"hello"));
//! });
//! serving.respond(id, &[], b"hello, too", 0)?;
//! carry(&mut serving, &mut asking, |told| {
//!     assert!(matches!(told, Incoming::Response(got) if got.value == b"hello, too"));
//! });
//! # Ok::<(), mxp::session::Kind>(())
//! ```

mod agents;
mod check;
mod config;
mod directory;
mod ending;
mod exchange;
mod handle;
mod hello;
mod incoming;
mod joint;
mod mxp_control;
mod mxp_registry;
mod queue;
mod receive;
mod records;
mod request;
pub(crate) mod ring;
mod rules_gen;
mod schema;
mod serve;
#[cfg(feature = "bytes")]
mod several;
#[expect(clippy::doc_markdown, reason = "names of refusals are texts, not code")]
mod spec_gen;
mod state;
mod stats;
mod stream;
mod tally;
mod timing;
mod values;

pub use agents::{
    agents_value, lease_value, read_agents, read_lease, Agent, Lease, Listing, Query, Registration,
};
pub use config::{Config, LimitError, Limits, MethodName, Role, TypeInfo};
pub use directory::Directory;
pub use incoming::{
    Acked, Call, Cancelled, Chunk, Chunks, Discover, Draining, End, Ended, Event, Events, Finished,
    Granted, Heartbeat, Incoming, Open, Ready, Register, Response, Why,
};
pub use queue::Outgoing;
pub use records::{Records, Values};
pub use request::{FullPolicy, Request};
pub use schema::Difference;
pub use spec_gen::*;
pub use state::{Session, BULK_PAYLOAD_BYTES};
#[cfg(feature = "tokio")]
pub(crate) use stats::{bucket, TIMES};
pub use stats::{MethodStats, Side, Stats};
pub use values::{Failure, Grant, Metadata, Pairs, Status, TraceContext, Value};

/// The name of [`FullPolicy`] until 0.4.
#[deprecated(since = "0.5.0", note = "use `FullPolicy`")]
pub type OnFull = FullPolicy;
