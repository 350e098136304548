//! The methods that a side serves, but for their handlers.

use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use tracing::warn;

use crate::net::failure::{listed, method_name, LISTED_MAX};
use crate::net::metrics::{Measured, Meter, Metrics};
use crate::net::telemetry::Telemetry;
use crate::net::{Failure, MethodKind};
use crate::session::{Kind, Status};

/// The method that a request of the peer's is for, by the numbers of its service and its
/// own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MethodId {
    pub(crate) service: u16,
    pub(crate) number: u16,
}

impl MethodId {
    /// That of an agent request, which has none.
    pub(crate) const NONE: Self = Self {
        service: u16::MAX,
        number: 0,
    };

    /// Logs a failure that is this side's to mend.
    pub(crate) fn warn(self, methods: &Methods, failure: &Failure) {
        if failure.status == Status::INTERNAL || failure.name == Kind::PayloadTooLarge.as_str() {
            methods.warn("a request failed", self.service, self.number, failure);
        }
    }
}

/// A service of a side's, but for its handlers.
pub(crate) struct Served {
    name: String,
    kinds: BTreeMap<u16, MethodKind>,
    /// The names of methods, where they are known.
    names: BTreeMap<u16, String>,
    meters: BTreeMap<u16, Arc<Meter>>,
}

impl Served {
    /// A service with methods of some kinds and names, whose requests are counted where there
    /// are metrics.
    pub(crate) fn new(
        name: String,
        kinds: BTreeMap<u16, MethodKind>,
        names: BTreeMap<u16, String>,
        metrics: Option<&Metrics>,
    ) -> Self {
        let mut meters = BTreeMap::new();
        if let Some(metrics) = metrics {
            for &number in kinds.keys() {
                let method = names.get(&number).map_or("", |name| name);
                meters.insert(number, metrics.meter(&name, number, method));
            }
        }
        Self {
            name,
            kinds,
            names,
            meters,
        }
    }
}

/// The methods of a side, by the numbers of its services that its Hello gives.
#[derive(Default)]
pub(crate) struct Methods {
    services: Vec<Served>,
    /// Is told of requests.
    pub(crate) telemetry: Telemetry,
}

impl Methods {
    pub(crate) fn new(services: Vec<Served>, telemetry: &Telemetry) -> Self {
        Self {
            services,
            telemetry: telemetry.clone(),
        }
    }

    /// The names of the services.
    pub(crate) fn services(&self) -> impl Iterator<Item = &str> {
        self.services.iter().map(|service| &service.name[..])
    }

    /// The kind of a method of a service.
    pub(crate) fn kind(&self, service: u16, method: u16) -> Option<MethodKind> {
        let service = self.services.get(usize::from(service))?;
        service.kinds.get(&method).copied()
    }

    /// The meter of a method.
    pub(crate) fn meter(&self, method: MethodId) -> Option<&Arc<Meter>> {
        let service = self.services.get(usize::from(method.service))?;
        service.meters.get(&method.number)
    }

    /// Counts a request that begins, where requests are counted.
    pub(crate) fn begin(&self, method: MethodId, at: Option<Instant>) -> Option<Measured> {
        Some(Measured::begin(Arc::clone(self.meter(method)?), at))
    }

    /// The name of a service, and of a method if it is known.
    pub(crate) fn names(&self, service: u16, method: u16) -> (&str, &str) {
        let Some(service) = self.services.get(usize::from(service)) else {
            return ("", "");
        };
        let method = service.names.get(&method);
        (&service.name, method.map_or("", |name| name))
    }

    /// Logs what went wrong with a request of the peer's, whom the span names.
    pub(crate) fn warn(&self, what: &str, service: u16, method: u16, failure: &Failure) {
        let (service, name) = self.names(service, method);
        let method = method_name(service, name, method);
        let Failure {
            status,
            name,
            text,
            acted,
            ..
        } = failure;
        warn!(method, %status, name, text, acted, "{what}");
    }

    /// Says which methods a service has instead of one that was asked for: if they are
    /// many, those with the nearest numbers.
    pub(crate) fn unknown(&self, kind: MethodKind, service: u16, number: u16) -> String {
        let Some(service) = self.services.get(usize::from(service)) else {
            return String::new();
        };
        let all = service.kinds.len();
        let mut near: Vec<_> = service.kinds.iter().collect();
        near.sort_by_key(|(n, _)| n.abs_diff(number));
        near.truncate(LISTED_MAX);
        near.sort_by_key(|(n, _)| **n);
        let names = near.into_iter().map(|(n, kind)| {
            let kind = kind.keyword();
            match service.names.get(n) {
                Some(name) => format!("{kind} {name} = {n}"),
                None => format!("{kind} {n}"),
            }
        });
        let names: Vec<_> = names.collect();
        let (names, kind) = (listed(&names, all), kind.keyword());
        format!("{} has no {kind} {number}; it has {names}", service.name)
    }
}
