use super::generated::primitives as gen;
use super::owned_cases;
use crate::dataset::Primitives;
use crate::subject::Subject;

pub fn subject(data: &'static Primitives) -> Subject {
    owned_cases!(data, gen::Primitives).done()
}

impl From<&Primitives> for gen::Primitives {
    fn from(from: &Primitives) -> Self {
        Self {
            flag: from.flag,
            tiny: from.tiny,
            small: from.small,
            medium: from.medium,
            large: from.large,
            octet: from.octet,
            port: from.port,
            count: from.count,
            total: from.total,
            ratio: from.ratio,
            value: from.value,
            taken_at: ::sdp::Timestamp(from.taken_at),
        }
    }
}

impl From<gen::Primitives> for Primitives {
    fn from(from: gen::Primitives) -> Self {
        Self {
            flag: from.flag,
            tiny: from.tiny,
            small: from.small,
            medium: from.medium,
            large: from.large,
            octet: from.octet,
            port: from.port,
            count: from.count,
            total: from.total,
            ratio: from.ratio,
            value: from.value,
            taken_at: from.taken_at.0,
        }
    }
}
