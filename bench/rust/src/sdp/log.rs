use super::generated::log as gen;
use super::{all, borrowed_cases, owned_cases};
use crate::dataset::{Address, Log, Logs};
use crate::subject::Subject;

pub fn subject(data: &'static Logs) -> Subject {
    borrowed_cases!(owned_cases!(data, gen::Logs), gen::Logs, gen::LogsRef).done()
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
