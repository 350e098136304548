use super::generated::log as pb;
use super::{all, narrow};
use crate::dataset::{Address, Log, Logs};

impl From<&Address> for pb::Address {
    fn from(from: &Address) -> Self {
        Self {
            x0: from.x0.into(),
            x1: from.x1.into(),
            x2: from.x2.into(),
            x3: from.x3.into(),
        }
    }
}

impl From<&Log> for pb::Log {
    fn from(from: &Log) -> Self {
        Self {
            address: Some((&from.address).into()),
            identity: from.identity.clone(),
            userid: from.userid.clone(),
            date: from.date.clone(),
            request: from.request.clone(),
            code: from.code.into(),
            size: from.size,
        }
    }
}

impl From<&Logs> for pb::Logs {
    fn from(from: &Logs) -> Self {
        Self {
            logs: all(&from.logs),
        }
    }
}

impl From<pb::Address> for Address {
    fn from(from: pb::Address) -> Self {
        Self {
            x0: narrow(from.x0),
            x1: narrow(from.x1),
            x2: narrow(from.x2),
            x3: narrow(from.x3),
        }
    }
}

impl From<pb::Log> for Log {
    fn from(from: pb::Log) -> Self {
        Self {
            address: from.address.unwrap().into(),
            identity: from.identity,
            userid: from.userid,
            date: from.date,
            request: from.request,
            code: narrow(from.code),
            size: from.size,
        }
    }
}

impl From<pb::Logs> for Logs {
    fn from(from: pb::Logs) -> Self {
        Self {
            logs: all(from.logs),
        }
    }
}
