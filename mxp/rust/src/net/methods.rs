//! The methods that a side serves, but for their handlers.

use std::collections::BTreeMap;
use std::format;
use std::string::String;
use std::sync::Arc;
use std::time::Instant;
use std::vec::Vec;

use tracing::warn;

use crate::engine::failure::{listed, method_name, LISTED_MAX};
use crate::engine::method::{Interface, MethodId};
use crate::net::metrics::{Meter, Metrics, RequestMeter};
use crate::net::telemetry::Telemetry;
use crate::net::{Failure, MethodKind, Request};
use crate::session::{Kind, Status};

/// A service of a side's, but for its handlers.
pub(crate) struct ServiceMethods {
    name: String,
    kinds: BTreeMap<u16, MethodKind>,
    /// The names of methods, where they are known.
    names: BTreeMap<u16, String>,
    meters: BTreeMap<u16, Arc<Meter>>,
}

impl ServiceMethods {
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

impl Interface for Methods {
    fn kind(&self, service: u16, method: u16) -> Option<MethodKind> {
        let service = self.services.get(usize::from(service))?;
        service.kinds.get(&method).copied()
    }

    /// Logs a failure that is this side's to mend.
    fn failed(&self, method: MethodId, failure: &Failure) {
        if failure.status == Status::INTERNAL || failure.name == Kind::PayloadTooLarge.as_str() {
            self.warn("a request failed", method.service, method.number, failure);
        }
    }

    fn unsent(&self, method: MethodId, failure: &Failure) {
        self.failed(method, failure);
        if let Some(meter) = self.meter(method) {
            meter.fail(failure.status);
        }
    }
}

/// The methods of a side, by the numbers of its services that its Hello gives.
#[derive(Default)]
pub(crate) struct Methods {
    services: Vec<ServiceMethods>,
    /// Is told of requests.
    pub(crate) telemetry: Telemetry,
}

impl Methods {
    pub(crate) fn new(services: Vec<ServiceMethods>, telemetry: &Telemetry) -> Self {
        Self {
            services,
            telemetry: telemetry.clone(),
        }
    }

    /// The names of the services.
    pub(crate) fn services(&self) -> impl Iterator<Item = &str> {
        self.services.iter().map(|service| &service.name[..])
    }

    /// The meter of a method.
    pub(crate) fn meter(&self, method: MethodId) -> Option<&Arc<Meter>> {
        let service = self.services.get(usize::from(method.service))?;
        service.meters.get(&method.number)
    }

    /// Counts a request that begins, where requests are counted.
    pub(crate) fn begin(&self, method: MethodId, start: Option<Instant>) -> Option<RequestMeter> {
        Some(RequestMeter::begin(Arc::clone(self.meter(method)?), start))
    }

    /// The name of a service, and of a method if it is known.
    pub(crate) fn names(&self, service: u16, method: u16) -> (&str, &str) {
        let Some(service) = self.services.get(usize::from(service)) else {
            return ("", "");
        };
        let method = service.names.get(&method);
        (&service.name, method.map_or("", |name| name))
    }

    /// Logs the failure of a peer's request; the span names the peer.
    pub(crate) fn warn(&self, subject: &str, service: u16, method: u16, failure: &Failure) {
        let (service, name) = self.names(service, method);
        let method = method_name(service, name, method);
        let Failure {
            status,
            name,
            text,
            acted,
            ..
        } = failure;
        warn!(method, %status, name, text, acted, "{subject}");
    }

    /// The refusal of a request whose method there is not, which is logged and told.
    pub(crate) fn refuse(&self, service: u16, kind: MethodKind, request: &Request) -> Failure {
        let number = request.method;
        let text = self.unknown(kind, service, number);
        let failure = Failure::saying(Kind::MethodUnknown, text);
        self.warn("a request was refused", service, number, &failure);
        let name = self.names(service, number).0;
        self.telemetry.refuse(name, request, &failure);
        failure
    }

    /// Names the methods of a service that lacks the requested method: if it has many, the methods
    /// with the nearest numbers.
    fn unknown(&self, kind: MethodKind, service: u16, number: u16) -> String {
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
