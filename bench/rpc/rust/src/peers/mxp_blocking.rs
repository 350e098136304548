//! MXP: the client for threads without a runtime.

use mxp::net::blocking::Client;
use mxp::net::Options;

use super::mxp::{look, url, ECHO, SERVICE};
use crate::address::Address;
use crate::calls;
use crate::generated::bench::DataRef;
use crate::plan::{Kind, Plan, Record};
use crate::Flaw;

pub fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    if plan.kind != Kind::Call {
        return Err(super::no_such_kind(plan));
    }
    let mut client = Client::connect(&url(address))?;
    let options = Options::new();
    let mut value = Vec::new();
    calls::run_blocking(plan, |payload| {
        let data = DataRef {
            data: &payload.bytes,
        };
        value.clear();
        data.append(&mut value)?;
        let reply = client.call(SERVICE, ECHO, &value[..], &options)?;
        look(payload, &reply.value)
    })
}
