//! Calls: so many connections, with so many in flight on each.

use std::future::Future;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::latency;
use crate::plan::{Begun, Payload, Plan, Record, Until};
use crate::Flaw;

/// A worker that calls, and waits for the reply before it calls again.
pub trait Caller: Sized + 'static {
    /// Another on the same connection, if calls can be in flight beside each other there.
    fn another(&self) -> Option<Self>;

    /// Calls once, and looks at the reply.
    fn call(&mut self, payload: &Payload) -> impl Future<Output = Result<(), Flaw>>;

    /// Makes a task of a worker's work. Each peer says itself which of Tokio's kinds of tasks that is.
    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>>;
}

/// The caller, to be used again, and how often it has called.
pub type Done<C> = Result<(C, u64), Flaw>;

/// The work of one caller.
pub struct Work<C> {
    caller: C,
    payload: Payload,
    until: Until,
}

impl<C: Caller> Work<C> {
    /// Calls as long as it is to.
    pub async fn run(self) -> Done<C> {
        let Self {
            mut caller,
            payload,
            until,
        } = self;
        let mut until = until.begun();
        let mut calls = 0;
        while until.more() {
            if until.is_timed() {
                let start = Instant::now();
                caller.call(&payload).await?;
                latency::note(nanoseconds(start.elapsed()));
            } else {
                caller.call(&payload).await?;
            }
            calls += 1;
        }
        Ok((caller, calls))
    }
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Runs a plan with callers that `connect` makes, one for each connection.
pub async fn run<C, F>(plan: &Plan, connect: impl Fn() -> F) -> Result<Record, Flaw>
where
    C: Caller,
    F: Future<Output = Result<C, Flaw>>,
{
    let mut callers = Vec::new();
    for _ in 0..plan.connections {
        let first = connect().await?;
        for _ in 1..plan.in_flight {
            let another = first.another();
            callers.push(another.ok_or("this peer has one call in flight on a connection")?);
        }
        callers.push(first);
    }
    let mut last = None;
    for (payload, until) in plan.parts() {
        let begun = Begun::now(plan)?;
        let spawn = |caller| {
            C::spawn(Work {
                caller,
                payload: payload.clone(),
                until: until.clone(),
            })
        };
        let works: Vec<_> = callers.drain(..).map(spawn).collect();
        let mut calls = 0;
        for work in works {
            let (caller, done) = work.await??;
            callers.push(caller);
            calls += done;
        }
        last = Some(begun.ended(calls)?);
    }
    last.ok_or_else(|| "a plan has no parts".into())
}

/// Runs a plan on this thread, with one caller that blocks it.
pub fn run_blocking(
    plan: &Plan,
    mut call: impl FnMut(&Payload) -> Result<(), Flaw>,
) -> Result<Record, Flaw> {
    if (plan.connections, plan.in_flight) != (1, 1) {
        return Err("this peer blocks: it has one call in flight on one connection".into());
    }
    let mut last = None;
    for (payload, until) in plan.parts() {
        let begun = Begun::now(plan)?;
        let mut until = until.begun();
        let mut calls = 0;
        while until.more() {
            let start = Instant::now();
            call(&payload)?;
            latency::note(nanoseconds(start.elapsed()));
            calls += 1;
        }
        last = Some(begun.ended(calls)?);
    }
    last.ok_or_else(|| "a plan has no parts".into())
}
