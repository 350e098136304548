//! Plans of measurements, and their records.

use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::{cpu, latency, Flaw};

/// A kind of work for a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A request and its reply.
    Call,
    /// A message of which nobody says whether it was taken; the server counts.
    Event,
    /// A stream to the server, which counts.
    Up,
    /// A stream whose messages are given back.
    Both,
}

impl std::str::FromStr for Kind {
    type Err = Flaw;

    fn from_str(text: &str) -> Result<Self, Flaw> {
        Ok(match text {
            "call" => Self::Call,
            "event" => Self::Event,
            "up" => Self::Up,
            "both" => Self::Both,
            _ => return Err(format!("{text}: a kind is call, event, up or both").into()),
        })
    }
}

/// The length of a client's work: for a time, or for a few times where nothing is timed.
#[derive(Debug, Clone, Copy)]
pub enum Length {
    Time(Duration),
    Once,
}

#[derive(Debug, Clone)]
pub struct Plan {
    pub kind: Kind,
    pub payload: Payload,
    /// Requests in flight on each connection.
    pub in_flight: usize,
    pub connections: usize,
    pub length: Length,
    pub server: Option<u32>,
}

/// The number of its messages that a client compares with the sent ones, before anything is timed; each of many callers
/// fewer.
const COMPARED: u64 = 8;
const COMPARED_OF_MANY: u64 = 2;

impl Plan {
    /// The parts of a run: one in which replies are compared, one until all is warm, one that is timed.
    #[must_use]
    pub fn parts(&self) -> Vec<(Payload, Until)> {
        let compared = Payload {
            is_compared: true,
            ..self.payload.clone()
        };
        let count = match self.in_flight * self.connections {
            1 => COMPARED,
            _ => COMPARED_OF_MANY,
        };
        let mut parts = vec![(compared, Until::count(count))];
        if let Length::Time(time) = self.length {
            let every = self.every();
            parts.push((self.payload.clone(), Until::time(time / 4, every)));
            parts.push((self.payload.clone(), Until::time(time, every)));
        }
        parts
    }

    /// Of how many one looks at the clock: all, unless there are many at once.
    fn every(&self) -> u64 {
        match (self.kind, self.in_flight) {
            (Kind::Call, 0..16) => 1,
            (Kind::Call, _) => 8,
            _ => 64,
        }
    }
}

/// Bytes that are sent, and to come back.
#[derive(Debug, Clone)]
pub struct Payload {
    pub bytes: Bytes,
    is_compared: bool,
}

impl Payload {
    /// Bytes that differ from their neighbours.
    #[must_use]
    pub fn new(size: usize) -> Self {
        let bytes = (0..size).map(|i| u8::try_from(i * 31 % 251).unwrap_or_default());
        Self {
            bytes: bytes.collect(),
            is_compared: false,
        }
    }

    /// Looks at a reply: at its length, or at all of it before anything is timed.
    ///
    /// # Errors
    ///
    /// It is not what was sent.
    pub fn look(&self, reply: &[u8]) -> Result<(), Flaw> {
        if reply.len() != self.bytes.len() || self.is_compared && *reply != self.bytes[..] {
            return Err("a reply is not what was sent".into());
        }
        Ok(())
    }
}

/// Until when a part of a run goes on.
#[derive(Debug, Clone)]
pub struct Until {
    end: Option<Instant>,
    time: Duration,
    /// Left to do, or until the next look at the clock.
    left: u64,
    every: u64,
}

impl Until {
    fn count(n: u64) -> Self {
        Self {
            end: None,
            time: Duration::ZERO,
            left: n,
            every: n,
        }
    }

    fn time(time: Duration, every: u64) -> Self {
        Self {
            end: None,
            time,
            left: every,
            every,
        }
    }

    /// Begins now.
    #[must_use]
    pub fn begun(mut self) -> Self {
        self.end = (!self.time.is_zero()).then(|| Instant::now() + self.time);
        self
    }

    /// Whether there is more to do. That it is done is counted.
    pub fn more(&mut self) -> bool {
        if self.left == 0 {
            match self.end {
                Some(end) if Instant::now() < end => self.left = self.every,
                _ => return false,
            }
        }
        self.left -= 1;
        true
    }

    /// Whether the request that comes is one that is timed.
    #[must_use]
    pub fn is_timed(&self) -> bool {
        self.end.is_some() && self.left + 1 == self.every
    }
}

/// Times, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Percentiles {
    pub p50: u64,
    pub p99: u64,
    pub p999: u64,
    pub max: u64,
}

/// The cost of a part of a run.
#[derive(Debug, Clone)]
pub struct Record {
    /// Calls, or messages of either direction.
    pub messages: u64,
    pub elapsed: Duration,
    pub client_cpu: u64,
    pub server_cpu: u64,
    pub latency: Option<Percentiles>,
}

/// The beginning of a part.
pub struct Begun {
    server: Option<u32>,
    client_cpu: u64,
    server_cpu: u64,
    at: Instant,
}

impl Begun {
    /// Forgets what was before.
    ///
    /// # Errors
    ///
    /// The server is gone.
    pub fn now(plan: &Plan) -> Result<Self, Flaw> {
        latency::take();
        Ok(Self {
            server: plan.server,
            client_cpu: cpu::nanoseconds(std::process::id())?,
            server_cpu: plan.server.map_or(Ok(0), cpu::nanoseconds)?,
            at: Instant::now(),
        })
    }

    /// The cost until now.
    ///
    /// # Errors
    ///
    /// The server is gone.
    pub fn ended(self, messages: u64) -> Result<Record, Flaw> {
        let elapsed = self.at.elapsed();
        Ok(Record {
            messages,
            elapsed,
            client_cpu: cpu::nanoseconds(std::process::id())?.saturating_sub(self.client_cpu),
            server_cpu: self
                .server
                .map_or(Ok(0), cpu::nanoseconds)?
                .saturating_sub(self.server_cpu),
            latency: latency::take(),
        })
    }
}

impl Record {
    /// A line of JSON.
    #[must_use]
    pub fn json(&self) -> String {
        let Self {
            messages,
            elapsed,
            client_cpu,
            server_cpu,
            latency,
        } = self;
        let elapsed = elapsed.as_nanos();
        let latency = latency.map_or_else(
            || "null".to_string(),
            |Percentiles {
                 p50,
                 p99,
                 p999,
                 max,
             }| {
                format!("{{\"p50\":{p50},\"p99\":{p99},\"p999\":{p999},\"max\":{max}}}")
            },
        );
        format!(
            "{{\"messages\":{messages},\"elapsed_ns\":{elapsed},\"client_cpu_ns\":{client_cpu},\
             \"server_cpu_ns\":{server_cpu},\"latency_ns\":{latency}}}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::{Payload, Until};

    #[test]
    fn a_reply_that_is_not_what_was_sent_is_refused() {
        let mut payload = Payload::new(8);
        let mut other = payload.bytes.to_vec();
        other[7] ^= 1;
        assert!(payload.look(&other).is_ok());
        assert!(payload.look(&other[..7]).is_err());
        payload.is_compared = true;
        assert!(payload.look(&other).is_err());
        assert!(payload.look(&payload.bytes).is_ok());
    }

    #[test]
    fn one_of_so_many_is_timed() {
        let mut until = Until::time(std::time::Duration::from_millis(20), 4).begun();
        let (mut all, mut timed) = (0, 0);
        while until.more() {
            all += 1;
            timed += u32::from(until.is_timed());
        }
        assert!(all > 8, "{all}");
        assert_eq!(timed, all / 4);
        let mut until = Until::count(3).begun();
        let counted = std::iter::from_fn(|| until.more().then_some(())).count();
        assert_eq!(counted, 3);
    }
}
