use capnp::Result;

use super::generated::log_capnp as cp;
use super::{length, numbered, HasStruct};
use crate::dataset::{Address, Log, Logs, Sum};

fn build_log(from: &Log, mut to: cp::log::Builder<'_>) {
    let mut address = to.reborrow().init_address();
    address.set_x0(from.address.x0);
    address.set_x1(from.address.x1);
    address.set_x2(from.address.x2);
    address.set_x3(from.address.x3);
    to.set_identity(&from.identity);
    to.set_userid(&from.userid);
    to.set_date(&from.date);
    to.set_request(&from.request);
    to.set_code(from.code);
    to.set_size(from.size);
}

fn own_log(from: cp::log::Reader<'_>) -> Result<Log> {
    let address = from.get_address()?;
    Ok(Log {
        address: Address {
            x0: address.get_x0(),
            x1: address.get_x1(),
            x2: address.get_x2(),
            x3: address.get_x3(),
        },
        identity: from.get_identity()?.to_string()?,
        userid: from.get_userid()?.to_string()?,
        date: from.get_date()?.to_string()?,
        request: from.get_request()?.to_string()?,
        code: from.get_code(),
        size: from.get_size(),
    })
}

impl HasStruct for Logs {
    type Struct = cp::logs::Owned;

    fn build(&self, to: cp::logs::Builder<'_>) {
        let mut logs = to.init_logs(length(&self.logs));
        for (i, log) in numbered(&self.logs) {
            build_log(log, logs.reborrow().get(i));
        }
    }

    fn sum_in_place(from: cp::logs::Reader<'_>) -> Result<u64> {
        let mut sum = Sum::default();
        for log in from.get_logs()? {
            let address = log.get_address()?;
            sum.uint(address.get_x0());
            sum.uint(address.get_x1());
            sum.uint(address.get_x2());
            sum.uint(address.get_x3());
            sum.uint(log.get_code());
            sum.uint(log.get_size());
        }
        Ok(sum.0)
    }

    fn own(from: cp::logs::Reader<'_>) -> Result<Self> {
        let logs = from.get_logs()?.iter().map(own_log);
        Ok(Self {
            logs: logs.collect::<Result<_>>()?,
        })
    }
}
