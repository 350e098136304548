//! The engine: the rules of clients and servers that lie above a session, without clock, sockets, tasks,
//! locks or random numbers of its own [MXP-14, MXP-15].
//!
//! A driver tells it what happens: bytes that came, requests of the program, the time. The results say what
//! is to be done. Drivers carry bytes, timers and wake-ups; the drivers of `net` use Tokio's tasks, or
//! blocked threads.

pub(crate) mod agent;
pub(crate) mod balancer;
pub(crate) mod budget;
pub(crate) mod draw;
pub(crate) mod driver;
pub(crate) mod endpoint;
pub(crate) mod failure;
pub(crate) mod inbox;
pub(crate) mod lease;
pub(crate) mod line;
pub(crate) mod link;
pub(crate) mod method;
pub(crate) mod names;
pub(crate) mod order;
pub(crate) mod outage;
pub(crate) mod outlier;
pub(crate) mod packed_values;
pub(crate) mod repeat;
pub(crate) mod request;
pub(crate) mod retry;
pub(crate) mod roster;
pub(crate) mod window;

pub use failure::Failure;
pub use lease::Standing;
pub use method::MethodKind;
pub use request::{Reply, WhenFull};
pub use retry::RetryPolicy;
pub use window::Window;
