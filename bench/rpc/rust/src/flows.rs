//! Flows in one direction: events, and streams of messages.

use std::future::Future;

use crate::plan::{Begun, Payload, Plan, Record, Until};
use crate::Flaw;

/// A flow that sends for a while, and returns when all of it has come.
pub trait Flow {
    /// Sends, and counts the messages of both directions.
    ///
    /// The other end has to have counted the same.
    fn flow(&mut self, payload: &Payload, until: Until) -> impl Future<Output = Result<u64, Flaw>>;
}

/// Runs a plan with one connection.
pub async fn run(plan: &Plan, flow: impl Flow) -> Result<Record, Flaw> {
    if (plan.connections, plan.in_flight) != (1, 1) {
        return Err("messages go over one connection".into());
    }
    parts(plan, flow).await
}

/// Runs the parts of a plan one after the other.
pub async fn parts(plan: &Plan, mut flow: impl Flow) -> Result<Record, Flaw> {
    let mut last = None;
    for (payload, until) in plan.parts() {
        let begun = Begun::now(plan)?;
        let messages = flow.flow(&payload, until.begun()).await?;
        last = Some(begun.ended(messages)?);
    }
    last.ok_or_else(|| "a plan has no parts".into())
}

/// Refuses a count that is not what was sent.
///
/// # Errors
///
/// They differ.
pub fn compare(sent: u64, counted: u64) -> Result<(), Flaw> {
    if sent != counted {
        return Err(format!("{sent} messages were sent, {counted} came").into());
    }
    Ok(())
}
