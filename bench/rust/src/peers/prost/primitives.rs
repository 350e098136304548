use super::generated::primitives as pb;
use super::narrow;
use crate::dataset::Primitives;

impl From<&Primitives> for pb::Primitives {
    fn from(from: &Primitives) -> Self {
        Self {
            flag: from.flag,
            tiny: from.tiny.into(),
            small: from.small.into(),
            medium: from.medium,
            large: from.large,
            octet: from.octet.into(),
            port: from.port.into(),
            count: from.count,
            total: from.total,
            ratio: from.ratio,
            value: from.value,
            taken_at: from.taken_at,
        }
    }
}

impl From<pb::Primitives> for Primitives {
    fn from(from: pb::Primitives) -> Self {
        Self {
            flag: from.flag,
            tiny: narrow(from.tiny),
            small: narrow(from.small),
            medium: from.medium,
            large: from.large,
            octet: narrow(from.octet),
            port: narrow(from.port),
            count: from.count,
            total: from.total,
            ratio: from.ratio,
            value: from.value,
            taken_at: from.taken_at,
        }
    }
}
