use flatbuffers::WIPOffset;

use super::generated::primitives::primitives as fb;
use super::{HasTable, Tables};
use crate::dataset::{Primitives, Sum};

impl HasTable for Primitives {
    type Table = fb::Primitives<'static>;

    fn build(&self, tables: &mut Tables) -> WIPOffset<Self::Table> {
        let fields = fb::PrimitivesArgs {
            flag: self.flag,
            tiny: self.tiny,
            small: self.small,
            medium: self.medium,
            large: self.large,
            octet: self.octet,
            port: self.port,
            count: self.count,
            total: self.total,
            ratio: self.ratio,
            value: self.value,
            taken_at: self.taken_at,
        };
        fb::Primitives::create(tables, &fields)
    }

    fn sum_in_place(table: Self::Table) -> u64 {
        let mut sum = Sum::default();
        sum.flag(table.flag());
        sum.int(table.tiny());
        sum.int(table.small());
        sum.int(table.medium());
        sum.int(table.large());
        sum.uint(table.octet());
        sum.uint(table.port());
        sum.uint(table.count());
        sum.uint(table.total());
        sum.float(table.ratio());
        sum.double(table.value());
        sum.int(table.taken_at());
        sum.0
    }

    fn own(table: Self::Table) -> Self {
        Self {
            flag: table.flag(),
            tiny: table.tiny(),
            small: table.small(),
            medium: table.medium(),
            large: table.large(),
            octet: table.octet(),
            port: table.port(),
            count: table.count(),
            total: table.total(),
            ratio: table.ratio(),
            value: table.value(),
            taken_at: table.taken_at(),
        }
    }
}
