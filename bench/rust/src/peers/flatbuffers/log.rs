use flatbuffers::WIPOffset;

use super::generated::log::log as fb;
use super::{HasTable, Tables};
use crate::dataset::{Address, Log, Logs, Sum};

fn log(from: &Log, tables: &mut Tables) -> WIPOffset<fb::Log<'static>> {
    let Address { x0, x1, x2, x3 } = from.address;
    let identity = tables.create_string(&from.identity);
    let userid = tables.create_string(&from.userid);
    let date = tables.create_string(&from.date);
    let request = tables.create_string(&from.request);
    let mut table = fb::LogBuilder::new(tables);
    table.add_address(&fb::Address::new(x0, x1, x2, x3));
    table.add_identity(identity);
    table.add_userid(userid);
    table.add_date(date);
    table.add_request(request);
    table.add_code(from.code);
    table.add_size_(from.size);
    table.finish()
}

impl From<fb::Log<'_>> for Log {
    fn from(from: fb::Log<'_>) -> Self {
        let address = from.address();
        Self {
            address: Address {
                x0: address.x0(),
                x1: address.x1(),
                x2: address.x2(),
                x3: address.x3(),
            },
            identity: from.identity().into(),
            userid: from.userid().into(),
            date: from.date().into(),
            request: from.request().into(),
            code: from.code(),
            size: from.size_(),
        }
    }
}

impl HasTable for Logs {
    type Table = fb::Logs<'static>;

    fn build(&self, tables: &mut Tables) -> WIPOffset<Self::Table> {
        let logs: Vec<_> = self.logs.iter().map(|from| log(from, tables)).collect();
        let logs = tables.create_vector(&logs);
        fb::Logs::create(tables, &fb::LogsArgs { logs: Some(logs) })
    }

    fn sum_in_place(table: Self::Table) -> u64 {
        let mut sum = Sum::default();
        for log in table.logs() {
            let address = log.address();
            sum.uint(address.x0());
            sum.uint(address.x1());
            sum.uint(address.x2());
            sum.uint(address.x3());
            sum.uint(log.code());
            sum.uint(log.size_());
        }
        sum.0
    }

    fn own(table: Self::Table) -> Self {
        Self {
            logs: table.logs().iter().map(Into::into).collect(),
        }
    }
}
