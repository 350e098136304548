//! The program around the engine.

use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;

use bytes::Bytes;

use crate::session::TraceContext;

/// The program around a connection.
pub(crate) trait Driver {
    /// The handle of a handler that runs, by which it is ended.
    type Task;

    /// A request of the peer's, as handlers have it.
    type Request;

    /// The microseconds since the connection has begun. It is asked where the time has to be
    /// exact: the clock costs more than many a request.
    fn now(&self) -> u64;

    /// A request that has come, for a handler.
    fn request(&self, arrival: Arrival) -> Self::Request;

    /// The bytes of a request's value.
    fn bytes(request: &Self::Request) -> usize;
}

/// A request of the peer's, as it has come.
#[derive(Debug)]
pub(crate) struct Arrival {
    /// The number of its method.
    pub(crate) method: u16,
    pub(crate) value: Bytes,
    pub(crate) metadata: Vec<(String, Vec<u8>)>,
    pub(crate) deadline: Option<Duration>,
    pub(crate) trace: Option<TraceContext>,
    /// When it has come, in microseconds of the connection's clock.
    pub(crate) time: u64,
}
