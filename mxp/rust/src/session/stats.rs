//! The counters of a session.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write as _};

use crate::frame::{self, Type, HEADER_BYTES, TRAILER_BYTES};
use crate::session::{Kind, Status};

/// How many powers of two, from 1 on, bound the times of calls.
const BUCKETS: usize = 26;

/// How many types there are.
const TYPES: usize = Type::ALL.len();

/// Frames of a type, in one direction.
#[derive(Debug, Clone, Copy, Default)]
struct Flow {
    frames: u64,
    bytes: u64,
}

/// The counters of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    received: [Flow; TYPES],
    sent: [Flow; TYPES],
    refusals: BTreeMap<u8, u64>,
    last_refusal: u8,
    pub(crate) dropped: u64,
    pub(crate) late: u64,
    /// Calls that took at most a power of two of microseconds and no smaller one;
    /// the last took longer.
    times: [u64; BUCKETS + 1],
    time: u64,
}

impl Counters {
    #[inline]
    pub(crate) fn received(&mut self, frame_type: Type, payload_bytes: usize) {
        let bytes = HEADER_BYTES + payload_bytes + TRAILER_BYTES;
        count(&mut self.received, frame_type, bytes);
    }

    #[inline]
    pub(crate) fn sent(&mut self, frame_type: Type, bytes: usize) {
        count(&mut self.sent, frame_type, bytes);
    }

    pub(crate) fn refused(&mut self, number: u8) {
        self.refused_all(1, number);
    }

    pub(crate) fn refused_all(&mut self, times: u64, number: u8) {
        *self.refusals.entry(number).or_default() += times;
        self.last_refusal = number;
    }

    /// How many refusals there were, and the name of the last.
    pub(crate) fn all_refusals(&self) -> (u64, &'static str) {
        (self.refusals.values().sum(), refusal(self.last_refusal))
    }

    /// Whether the peer has sent nothing but Hello and Error.
    #[cfg(feature = "bytes")]
    pub(crate) fn is_silent(&self) -> bool {
        let of = |frame_type: Type| self.received[frame_type.place()].frames;
        let all: u64 = self.received.iter().map(|flow| flow.frames).sum();
        all == of(Type::Hello) + of(Type::Error)
    }

    /// Counts a call that was answered after so many microseconds.
    pub(crate) fn took(&mut self, microseconds: u64) {
        self.times[bucket(microseconds)] += 1;
        self.time = self.time.saturating_add(microseconds);
    }
}

/// How many buckets times have.
#[cfg(feature = "tokio")]
pub(crate) const TIMES: usize = BUCKETS + 1;

/// The bucket of a time: what took at most a power of two of microseconds and no smaller one.
#[inline]
pub(crate) fn bucket(microseconds: u64) -> usize {
    let power = microseconds.saturating_sub(1).checked_ilog2();
    let bucket = power.map_or(0, |power| power as usize + 1);
    bucket.min(BUCKETS)
}

/// The side of a request on which something was counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The side that asks.
    Client,
    /// The side that is asked.
    Server,
}

/// The counts that a server or a client has of a method's requests.
#[derive(Debug, Clone)]
pub struct MethodStats {
    pub(crate) side: Side,
    pub(crate) service: String,
    pub(crate) method: String,
    pub(crate) in_flight: u64,
    /// By status; the last are those without a name.
    pub(crate) statuses: [u64; 18],
    pub(crate) times: [u64; BUCKETS + 1],
    pub(crate) time: u64,
}

impl MethodStats {
    /// The side that has counted.
    #[must_use]
    pub const fn side(&self) -> Side {
        self.side
    }

    /// Full name of the service; empty for all methods beyond 1,024 together.
    #[must_use]
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Name of the method, or its number where the name is not known.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Requests that have begun and not ended.
    #[must_use]
    pub const fn in_flight(&self) -> u64 {
        self.in_flight
    }

    /// Requests that have ended with a status; those above 16 are counted as one.
    #[must_use]
    pub fn requests(&self, status: Status) -> u64 {
        self.statuses[usize::from(status.0).min(17)]
    }

    /// Adds other counts of the method.
    fn add(&mut self, source: &Self) {
        self.in_flight += source.in_flight;
        for (n, more) in self.statuses.iter_mut().zip(source.statuses) {
            *n += more;
        }
        for (n, more) in self.times.iter_mut().zip(source.times) {
            *n += more;
        }
        self.time = self.time.saturating_add(source.time);
    }

    /// The order of methods: that of their sides and names.
    fn key(&self) -> (bool, &str, &str) {
        (self.side == Side::Server, &self.service, &self.method)
    }

    fn write(&self, output: &mut String, part: Part) -> fmt::Result {
        let side = match self.side {
            Side::Client => "client",
            Side::Server => "server",
        };
        let (service, method) = match (&self.service[..], &self.method[..]) {
            ("", "") => ("other", "other"),
            names => names,
        };
        let (service, method) = (Label(service), Label(method));
        let labels = alloc::format!("side=\"{side}\",service=\"{service}\",method=\"{method}\"");
        match part {
            Part::InFlight => {
                writeln!(
                    output,
                    "mxp_requests_in_flight{{{labels}}} {}",
                    self.in_flight
                )
            }
            Part::Requests => {
                for (status, n) in (0..).zip(self.statuses).filter(|(_, n)| *n > 0) {
                    write!(output, "mxp_requests_total{{{labels},status=\"")?;
                    match status {
                        0..=16 => write!(output, "{}", Status(status))?,
                        _ => write!(output, "other")?,
                    }
                    writeln!(output, "\"}} {n}")?;
                }
                Ok(())
            }
            Part::Seconds => {
                let mut sum = 0;
                for (power, n) in self.times.iter().take(BUCKETS).enumerate() {
                    sum += n;
                    let bound = Seconds(1 << power);
                    let name = "mxp_request_seconds_bucket";
                    writeln!(output, "{name}{{{labels},le=\"{bound}\"}} {sum}")?;
                }
                let all: u64 = self.times.iter().sum();
                let name = "mxp_request_seconds";
                writeln!(output, "{name}_bucket{{{labels},le=\"+Inf\"}} {all}")?;
                writeln!(output, "{name}_sum{{{labels}}} {}", Seconds(self.time))?;
                writeln!(output, "{name}_count{{{labels}}} {all}")
            }
        }
    }
}

/// A metric of each method.
#[derive(Clone, Copy)]
enum Part {
    Requests,
    InFlight,
    Seconds,
}

/// A text as a label of Prometheus has it.
struct Label<'a>(&'a str);

impl fmt::Display for Label<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match c {
            '\\' | '"' => write!(f, "\\{c}"),
            '\n' => f.write_str("\\n"),
            _ => f.write_char(c),
        })
    }
}

/// Microseconds, in seconds.
struct Seconds(u64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

#[inline]
fn count(flows: &mut [Flow; TYPES], frame_type: Type, bytes: usize) {
    let flow = &mut flows[frame_type.place()];
    flow.frames += 1;
    flow.bytes += bytes as u64;
}

/// The counts of a session until a moment.
#[derive(Debug, Clone, Default)]
pub struct Stats {
    pub(crate) counters: Counters,
    pub(crate) here: usize,
    pub(crate) peer: usize,
    pub(crate) queue_bytes: usize,
    pub(crate) queue_frames: usize,
    pub(crate) held: usize,
    pub(crate) retries: u64,
    pub(crate) retries_over_budget: u64,
    pub(crate) outliers: u64,
    pub(crate) shm_fallbacks: u64,
    pub(crate) methods: Vec<MethodStats>,
}

impl Stats {
    /// Frames of a type that came.
    #[must_use]
    pub fn frames_in(&self, frame_type: Type) -> u64 {
        self.counters.received[frame_type.place()].frames
    }

    /// Frames of a type that were sent.
    #[must_use]
    pub fn frames_out(&self, frame_type: Type) -> u64 {
        self.counters.sent[frame_type.place()].frames
    }

    /// The number of times that a refusal was told to the peer, or ended the session.
    #[must_use]
    pub fn refusals(&self, kind: Kind) -> u64 {
        let count = self.counters.refusals.get(&kind.number());
        count.copied().unwrap_or_default()
    }

    /// Requests that have a place: of this side's, and of the peer's.
    #[must_use]
    pub const fn in_flight(&self) -> (usize, usize) {
        (self.here, self.peer)
    }

    /// Bytes and frames that wait.
    #[must_use]
    pub const fn queue(&self) -> (usize, usize) {
        (self.queue_bytes, self.queue_frames)
    }

    /// Bytes that a session holds [MXP-15.1]; for a server or a client, the bytes that its
    /// connections hold together [MXP-15.2].
    #[must_use]
    pub const fn held_bytes(&self) -> usize {
        self.held
    }

    /// Events that were dropped.
    #[must_use]
    pub const fn events_dropped(&self) -> u64 {
        self.counters.dropped
    }

    /// Frames that named what was not there any more.
    #[must_use]
    pub const fn late_frames(&self) -> u64 {
        self.counters.late
    }

    /// The counts of each method that was asked for, in the order of names. A server or a client
    /// counts for all of its connections.
    #[must_use]
    pub fn methods(&self) -> &[MethodStats] {
        &self.methods
    }

    /// Requests that a client has made again by its policy [MXP-14.8].
    #[must_use]
    pub const fn retries(&self) -> u64 {
        self.retries
    }

    /// Requests that its policy has let a client not make again, for want of a budget.
    #[must_use]
    pub const fn retries_over_budget(&self) -> u64 {
        self.retries_over_budget
    }

    /// The number of times that a client has left out a connection for a while [MXP-14.10].
    #[must_use]
    pub const fn outliers(&self) -> u64 {
        self.outliers
    }

    /// Connections by shared memory of a client, or a server, that went over the socket instead
    /// [MXP-18.5].
    #[must_use]
    pub const fn shm_fallbacks(&self) -> u64 {
        self.shm_fallbacks
    }

    /// Adds what another session has counted.
    pub fn add(&mut self, source: &Self) {
        let (counters, more) = (&mut self.counters, &source.counters);
        let flows = counters.received.iter_mut().chain(&mut counters.sent);
        for (flow, more) in flows.zip(more.received.iter().chain(&more.sent)) {
            flow.frames += more.frames;
            flow.bytes += more.bytes;
        }
        for (&number, n) in &more.refusals {
            *counters.refusals.entry(number).or_default() += n;
        }
        for (n, more) in counters.times.iter_mut().zip(more.times) {
            *n += more;
        }
        counters.dropped += more.dropped;
        counters.late += more.late;
        counters.time = counters.time.saturating_add(more.time);
        self.here += source.here;
        self.peer += source.peer;
        self.queue_bytes += source.queue_bytes;
        self.queue_frames += source.queue_frames;
        self.held += source.held;
        self.retries += source.retries;
        self.retries_over_budget += source.retries_over_budget;
        self.outliers += source.outliers;
        self.shm_fallbacks += source.shm_fallbacks;
        for more in &source.methods {
            let found = self
                .methods
                .binary_search_by(|metadata| metadata.key().cmp(&more.key()));
            match found {
                Ok(at) => self.methods[at].add(more),
                Err(at) => self.methods.insert(at, more.clone()),
            }
        }
    }

    /// All of it as a Prometheus text.
    #[must_use]
    pub fn prometheus(&self) -> String {
        let mut out = String::new();
        // A String takes all text.
        let _ = self.write(&mut out);
        out
    }

    fn write(&self, output: &mut String) -> fmt::Result {
        let counters = &self.counters;
        let flows = [("in", &counters.received), ("out", &counters.sent)];
        let of_frames: fn(&Flow) -> u64 = |flow| flow.frames;
        let of_bytes: fn(&Flow) -> u64 = |flow| flow.bytes;
        for (name, of) in [
            ("mxp_frames_total", of_frames),
            ("mxp_bytes_total", of_bytes),
        ] {
            writeln!(output, "# TYPE {name} counter")?;
            for (direction, flows) in flows {
                let seen = Type::ALL
                    .iter()
                    .zip(flows)
                    .filter(|(_, flow)| flow.frames > 0);
                for (frame_type, flow) in seen {
                    let n = of(flow);
                    write!(output, "{name}{{direction=\"{direction}\",")?;
                    writeln!(output, "type=\"{frame_type}\"}} {n}")?;
                }
            }
        }
        writeln!(output, "# TYPE mxp_in_flight gauge")?;
        writeln!(output, "mxp_in_flight{{side=\"here\"}} {}", self.here)?;
        writeln!(output, "mxp_in_flight{{side=\"peer\"}} {}", self.peer)?;
        writeln!(output, "# TYPE mxp_queue_bytes gauge")?;
        writeln!(output, "mxp_queue_bytes {}", self.queue_bytes)?;
        writeln!(output, "# TYPE mxp_queue_frames gauge")?;
        writeln!(output, "mxp_queue_frames {}", self.queue_frames)?;
        writeln!(output, "# TYPE mxp_held_bytes gauge")?;
        writeln!(output, "mxp_held_bytes {}", self.held)?;
        writeln!(output, "# TYPE mxp_refusals_total counter")?;
        for (&number, n) in &counters.refusals {
            let name = refusal(number);
            writeln!(output, "mxp_refusals_total{{name=\"{name}\"}} {n}")?;
        }
        writeln!(output, "# TYPE mxp_events_dropped_total counter")?;
        writeln!(output, "mxp_events_dropped_total {}", counters.dropped)?;
        writeln!(output, "# TYPE mxp_late_frames_total counter")?;
        writeln!(output, "mxp_late_frames_total {}", counters.late)?;
        writeln!(output, "# TYPE mxp_retries_total counter")?;
        writeln!(output, "mxp_retries_total {}", self.retries)?;
        writeln!(output, "# TYPE mxp_retries_over_budget_total counter")?;
        let over = self.retries_over_budget;
        writeln!(output, "mxp_retries_over_budget_total {over}")?;
        writeln!(output, "# TYPE mxp_outliers_total counter")?;
        writeln!(output, "mxp_outliers_total {}", self.outliers)?;
        writeln!(output, "# TYPE mxp_shm_fallbacks_total counter")?;
        writeln!(output, "mxp_shm_fallbacks_total {}", self.shm_fallbacks)?;
        writeln!(output, "# TYPE mxp_call_seconds histogram")?;
        let mut sum = 0;
        for (power, n) in counters.times.iter().take(BUCKETS).enumerate() {
            sum += n;
            let bound = Seconds(1 << power);
            writeln!(output, "mxp_call_seconds_bucket{{le=\"{bound}\"}} {sum}")?;
        }
        let all: u64 = counters.times.iter().sum();
        writeln!(output, "mxp_call_seconds_bucket{{le=\"+Inf\"}} {all}")?;
        writeln!(output, "mxp_call_seconds_sum {}", Seconds(counters.time))?;
        writeln!(output, "mxp_call_seconds_count {all}")?;
        for (part, name) in [
            (Part::Requests, "mxp_requests_total counter"),
            (Part::InFlight, "mxp_requests_in_flight gauge"),
            (Part::Seconds, "mxp_request_seconds histogram"),
        ] {
            if !self.methods.is_empty() {
                writeln!(output, "# TYPE {name}")?;
            }
            for method in &self.methods {
                method.write(output, part)?;
            }
        }
        Ok(())
    }
}

/// The name of a refusal of a frame or a session.
fn refusal(number: u8) -> &'static str {
    let of_frame = frame::Kind::from_number(number).map(frame::Kind::as_str);
    let of_session = || Kind::from_number(number).map(Kind::as_str);
    of_frame.or_else(of_session).unwrap_or("")
}

#[cfg(test)]
mod tests;
