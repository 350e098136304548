use capnp::Result;

use super::generated::primitives_capnp as cp;
use super::HasStruct;
use crate::dataset::{Primitives, Sum};

impl HasStruct for Primitives {
    type Struct = cp::primitives::Owned;

    fn build(&self, mut to: cp::primitives::Builder<'_>) {
        to.set_flag(self.flag);
        to.set_tiny(self.tiny);
        to.set_small(self.small);
        to.set_medium(self.medium);
        to.set_large(self.large);
        to.set_octet(self.octet);
        to.set_port(self.port);
        to.set_count(self.count);
        to.set_total(self.total);
        to.set_ratio(self.ratio);
        to.set_value(self.value);
        to.set_taken_at(self.taken_at);
    }

    fn sum_in_place(from: cp::primitives::Reader<'_>) -> Result<u64> {
        let mut sum = Sum::default();
        sum.flag(from.get_flag());
        sum.int(from.get_tiny());
        sum.int(from.get_small());
        sum.int(from.get_medium());
        sum.int(from.get_large());
        sum.uint(from.get_octet());
        sum.uint(from.get_port());
        sum.uint(from.get_count());
        sum.uint(from.get_total());
        sum.float(from.get_ratio());
        sum.double(from.get_value());
        sum.int(from.get_taken_at());
        Ok(sum.0)
    }

    fn own(from: cp::primitives::Reader<'_>) -> Result<Self> {
        Ok(Self {
            flag: from.get_flag(),
            tiny: from.get_tiny(),
            small: from.get_small(),
            medium: from.get_medium(),
            large: from.get_large(),
            octet: from.get_octet(),
            port: from.get_port(),
            count: from.get_count(),
            total: from.get_total(),
            ratio: from.get_ratio(),
            value: from.get_value(),
            taken_at: from.get_taken_at(),
        })
    }
}
