use super::generated::log as gen;
use super::{all, borrowed_cases, owned_cases, view_cases};
use crate::dataset::{Address, Log, Logs, Sum};
use crate::subject::Subject;

pub fn subject(data: &'static Logs) -> Subject {
    let builder = borrowed_cases!(owned_cases!(data, gen::Logs), gen::Logs, gen::LogsRef);
    view_cases!(builder, LogsView, sum).done()
}

fn sum(logs: &gen::LogsView<'_>) -> u64 {
    let mut sum = Sum::default();
    for log in logs.logs() {
        let address = log.address();
        sum.uint(address.x0);
        sum.uint(address.x1);
        sum.uint(address.x2);
        sum.uint(address.x3);
        sum.uint(log.code());
        sum.uint(log.size());
    }
    sum.0
}

impl From<&Address> for gen::Address {
    fn from(from: &Address) -> Self {
        Self {
            x0: from.x0,
            x1: from.x1,
            x2: from.x2,
            x3: from.x3,
        }
    }
}

impl From<gen::Address> for Address {
    fn from(from: gen::Address) -> Self {
        Self {
            x0: from.x0,
            x1: from.x1,
            x2: from.x2,
            x3: from.x3,
        }
    }
}

impl From<&Log> for gen::Log {
    fn from(from: &Log) -> Self {
        Self {
            address: (&from.address).into(),
            identity: from.identity.clone(),
            userid: from.userid.clone(),
            date: from.date.clone(),
            request: from.request.clone(),
            code: from.code,
            size: from.size,
        }
    }
}

impl From<gen::Log> for Log {
    fn from(from: gen::Log) -> Self {
        Self {
            address: from.address.into(),
            identity: from.identity,
            userid: from.userid,
            date: from.date,
            request: from.request,
            code: from.code,
            size: from.size,
        }
    }
}

impl From<&Logs> for gen::Logs {
    fn from(from: &Logs) -> Self {
        Self {
            logs: all(&from.logs),
        }
    }
}

impl From<gen::Logs> for Logs {
    fn from(from: gen::Logs) -> Self {
        Self {
            logs: all(from.logs),
        }
    }
}
