//! The metrics of each method.

use core::ops::Deref;
use std::string::{String, ToString as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;
use std::vec::Vec;

use crate::net::clock::Clock;
use crate::net::method_table::MethodTable;
use crate::net::telemetry::RequestSpan;
use crate::net::Failure;
use crate::session::{bucket, MethodStats, Side, Status, TIMES};

/// How many statuses have names. All others are counted together.
const STATUSES: usize = 17;

/// How many methods are found without a lock.
const SLOTS: usize = 16;

/// The metrics of a server or a client.
pub(crate) struct Metrics {
    side: Side,
    /// The first method of each remainder of numbers: its service, its number and its meter.
    slots: [OnceLock<(String, u16, Arc<Meter>)>; SLOTS],
    methods: MethodTable<Arc<Meter>>,
    /// The counts of all methods beyond the limit of separate counts.
    other: Arc<Meter>,
}

/// The counters of a method.
#[derive(Default)]
pub(crate) struct Meter {
    method: String,
    /// Requests that were counted as they began.
    begun: AtomicU64,
    /// Requests that were counted only when they had ended, since they have taken no time.
    at_once: AtomicU64,
    /// Requests that were counted as they began and have ended well, by how long that took.
    times: [AtomicU64; TIMES],
    /// Requests that have failed, by status. Each is counted here before its end is, so that no
    /// reader takes a failure for a success.
    failures: [AtomicU64; STATUSES + 1],
    /// Requests that were counted as they began and have failed, by how long that took.
    failure_times: [AtomicU64; TIMES],
    /// Failures of requests that `times` counts as ended well.
    late_failures: AtomicU64,
    time: AtomicU64,
}

impl Metrics {
    pub(crate) fn new(side: Side) -> Self {
        Self {
            side,
            slots: [const { OnceLock::new() }; SLOTS],
            methods: MethodTable::default(),
            other: Arc::default(),
        }
    }

    /// The meter of a method, whose name may be known.
    pub(crate) fn meter(&self, service: &str, number: u16, name: &str) -> Arc<Meter> {
        match self.slot(service, number) {
            Some(meter) => Arc::clone(meter),
            None => self.find(service, number, name),
        }
    }

    /// The same, for no longer than the metrics are there.
    #[inline]
    pub(crate) fn lent(&self, service: &str, number: u16, name: &str) -> MeterRef<'_> {
        match self.slot(service, number) {
            Some(meter) => MeterRef::Slot(meter),
            None => MeterRef::Shared(self.find(service, number, name)),
        }
    }

    /// Counts requests of a method that have taken no time, and have not failed.
    pub(crate) fn count(&self, service: &str, number: u16, name: &str, requests: u64) {
        match self.slot(service, number) {
            Some(meter) => meter.count_all(None, requests),
            None => self.find(service, number, name).count_all(None, requests),
        }
    }

    #[inline]
    fn slot(&self, service: &str, number: u16) -> Option<&Arc<Meter>> {
        let (of, method, meter) = self.slots[usize::from(number) % SLOTS].get()?;
        (*method == number && of == service).then_some(meter)
    }

    #[cold]
    fn find(&self, service: &str, number: u16, name: &str) -> Arc<Meter> {
        let made = || {
            let method = match name {
                "" => number.to_string(),
                _ => name.into(),
            };
            Arc::new(Meter {
                method,
                ..Meter::default()
            })
        };
        let Some(found) = self.methods.get(service, number, made) else {
            return Arc::clone(&self.other);
        };
        // Another may have it.
        let slot = &self.slots[usize::from(number) % SLOTS];
        let _ = slot.set((service.into(), number, Arc::clone(&found)));
        found
    }

    /// The counts of each method until now.
    pub(crate) fn stats(&self) -> Vec<MethodStats> {
        let mut all = Vec::new();
        all.extend(self.other.stats(self.side, ""));
        self.methods.each(|service, method| {
            all.extend(method.stats(self.side, service));
        });
        all.sort_by(|a, b| (a.service(), a.method()).cmp(&(b.service(), b.method())));
        all
    }
}

/// A meter, mostly one whose sharers need not be counted.
pub(crate) enum MeterRef<'a> {
    Slot(&'a Meter),
    Shared(Arc<Meter>),
}

impl Deref for MeterRef<'_> {
    type Target = Meter;

    fn deref(&self) -> &Meter {
        match self {
            Self::Slot(meter) => meter,
            Self::Shared(meter) => meter,
        }
    }
}

impl Meter {
    /// Counts a request that has begun at a time, if it has taken any, and ended.
    pub(crate) fn count(&self, start: Option<Instant>, status: Status) {
        self.begun.fetch_add(1, Ordering::Relaxed);
        self.took(start.map_or(0, |start| Clock::of(start).now()), status);
    }

    /// Counts a request that was counted as it began, and has taken so many microseconds. A reader
    /// of its end sees all that was counted before.
    fn took(&self, time: u64, status: Status) {
        self.time.fetch_add(time, Ordering::Relaxed);
        let times = if status == Status::OK {
            &self.times
        } else {
            self.failure(status).fetch_add(1, Ordering::Relaxed);
            &self.failure_times
        };
        times[bucket(time)].fetch_add(1, Ordering::Release);
    }

    /// Counts requests that have begun and ended together, and have not failed.
    pub(crate) fn count_all(&self, start: Option<Instant>, requests: u64) {
        let time = start.map_or(0, |start| Clock::of(start).now());
        let add = |count: &AtomicU64, n| count.fetch_add(n, Ordering::Relaxed);
        if time == 0 {
            add(&self.at_once, requests);
            return;
        }
        add(&self.begun, requests);
        add(&self.time, time.saturating_mul(requests));
        self.times[bucket(time)].fetch_add(requests, Ordering::Release);
    }

    /// Says of a request that has ended well that it has failed.
    pub(crate) fn fail(&self, status: Status) {
        self.failure(status).fetch_add(1, Ordering::Relaxed);
        self.late_failures.fetch_add(1, Ordering::Release);
    }

    fn failure(&self, status: Status) -> &AtomicU64 {
        &self.failures[usize::from(status.0).min(STATUSES)]
    }

    /// The counts of the method, if there was a request. The ends are read first, so
    /// that no end is without its status and its beginning.
    fn stats(&self, side: Side, service: &str) -> Option<MethodStats> {
        let end = |count: &AtomicU64| count.load(Ordering::Acquire);
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let late_failures = end(&self.late_failures);
        let failure_times = self.failure_times.each_ref().map(end);
        let mut times = self.times.each_ref().map(end);
        let ended = times.iter().chain(&failure_times).sum();
        let in_flight = load(&self.begun).saturating_sub(ended);
        times[0] += load(&self.at_once);
        let mut statuses = self.failures.each_ref().map(load);
        statuses[0] = times.iter().sum::<u64>().saturating_sub(late_failures);
        for (all, failures) in times.iter_mut().zip(failure_times) {
            *all += failures;
        }
        if in_flight == 0 && times.iter().sum::<u64>() == 0 {
            return None;
        }
        Some(MethodStats {
            side,
            service: service.into(),
            method: self.method.clone(),
            in_flight,
            statuses,
            times,
            time: load(&self.time),
        })
    }
}

/// The status that a request has ended with.
pub(crate) fn status_of<T>(result: &Result<T, Failure>) -> Status {
    result.as_ref().err().map_or(Status::OK, |why| why.status)
}

/// A request in flight. A dropped request was cancelled.
pub(crate) struct RequestMeter<M: Deref<Target = Meter> = Arc<Meter>> {
    meter: M,
    /// The clock by which it has begun, and ended if somebody has looked; none where it takes no
    /// time.
    clock: Option<Clock>,
    begun: u64,
    ended: Option<u64>,
    status: Status,
    /// Somebody may be told of it.
    span: RequestSpan,
}

impl<M: Deref<Target = Meter>> RequestMeter<M> {
    /// Counts a request that begins, at a time that somebody has looked at. To look at it
    /// costs as much as all that is counted.
    pub(crate) fn begin(meter: M, start: Option<Instant>) -> Self {
        meter.begun.fetch_add(1, Ordering::Relaxed);
        Self {
            meter,
            clock: start.map(Clock::of),
            begun: 0,
            ended: None,
            status: Status::CANCELLED,
            span: RequestSpan::none(),
        }
    }

    /// Lets somebody be told of the request.
    pub(crate) fn with(mut self, span: RequestSpan) -> Self {
        self.span = span;
        self
    }

    /// Says when the request has begun, by a clock.
    pub(crate) fn begun_at(&mut self, clock: Clock, time: u64) {
        (self.clock, self.begun) = (Some(clock), time);
    }

    /// Says when the request has ended, by the same clock.
    pub(crate) fn ended_at(&mut self, time: u64) {
        self.ended = Some(time);
    }

    /// Counts a request that has ended.
    pub(crate) fn end<T>(mut self, result: &Result<T, Failure>) {
        self.status = status_of(result);
        core::mem::take(&mut self.span).end(result);
    }
}

impl<M: Deref<Target = Meter>> Drop for RequestMeter<M> {
    fn drop(&mut self) {
        let time = self.clock.map_or(0, |clock| {
            let ended = self.ended.unwrap_or_else(|| clock.now());
            ended.saturating_sub(self.begun)
        });
        self.meter.took(time, self.status);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::method_table::METHODS;

    #[test]
    fn methods_beyond_the_most_are_counted_together() {
        let metrics = Metrics::new(Side::Server);
        for number in 0..2000 {
            let service = if number % 2 == 0 { "t.Even" } else { "t.Odd" };
            for _ in 0..2 {
                drop(RequestMeter::begin(
                    metrics.meter(service, number, ""),
                    None,
                ));
            }
        }
        let stats = metrics.stats();
        assert_eq!(stats.len(), METHODS + 1);
        let other = &stats[0];
        assert_eq!((other.service(), other.method()), ("", ""));
        let most = u64::try_from(METHODS).unwrap();
        assert_eq!(other.requests(Status::CANCELLED), 2 * (2000 - most));
        let all = stats
            .iter()
            .map(|method| method.requests(Status::CANCELLED));
        assert_eq!(all.sum::<u64>(), 4000);
    }

    /// Shows the counts of a method while a thread ends its requests, each with a status of a row.
    fn views(statuses: &'static [Status], mut look: impl FnMut(&MethodStats)) {
        let metrics = Metrics::new(Side::Client);
        let meter = metrics.meter("t.Busy", 1, "");
        let ends = std::thread::spawn(move || {
            for status in statuses.iter().cycle().take(200_000) {
                meter.count(None, *status);
            }
        });
        let mut is_last = false;
        while !is_last {
            is_last = ends.is_finished();
            metrics.stats().iter().for_each(&mut look);
        }
        ends.join().unwrap();
    }

    #[test]
    fn no_reader_sees_a_failure_as_success() {
        let mut last = 0;
        views(&[Status::CANCELLED], |stats| {
            let ended = stats.times.iter().sum();
            assert_eq!(stats.requests(Status::OK), 0);
            assert!(stats.requests(Status::CANCELLED) >= ended);
            last = ended;
        });
        assert_eq!(last, 200_000);
    }

    #[test]
    fn no_count_of_successes_falls_while_others_fail() {
        const ROW: [Status; 4] = [
            Status::OK,
            Status::DATA_LOSS,
            Status::ABORTED,
            Status::UNKNOWN,
        ];
        let mut last = 0;
        views(&ROW, |stats| {
            let successes = stats.requests(Status::OK);
            assert!(successes >= last, "{successes} after {last}");
            last = successes;
        });
        assert_eq!(last, 50_000);
    }
}
