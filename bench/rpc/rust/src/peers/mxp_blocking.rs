//! MXP: the client for threads without a runtime.

use mxp::net::blocking::ClientOptions;
use mxp::net::Options;

use super::mxp::{encoded, look, shm, url, ECHO, SERVICE};
use crate::address::Address;
use crate::calls;
use crate::plan::{Kind, Plan, Record};
use crate::Flaw;

pub fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    if plan.kind != Kind::Call {
        return Err(super::no_such_kind(plan));
    }
    let client = ClientOptions::new()
        .shm(shm(address))
        .connect(&url(address))?;
    let options = Options::new();
    calls::run_blocking(plan, |payload| {
        let reply = client.call(SERVICE, ECHO, encoded(payload)?, &options)?;
        look(payload, &reply.value)
    })
}
