//! The place of what OpenTelemetry is told, where the library is built without it.
#![expect(clippy::unused_self, reason = "callers are the same with it")]

use crate::net::request_options::MethodRef;
#[cfg(feature = "tokio")]
use crate::net::service::Services;
use crate::net::transport::registry::Target;
#[cfg(feature = "tokio")]
use crate::net::Request;
use crate::net::{Failure, Options};

/// Nobody is told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Telemetry(());

impl Telemetry {
    pub(crate) const fn is_told(&self) -> bool {
        false
    }

    pub(crate) const fn at(self, _: &[Target]) -> Self {
        self
    }

    pub(crate) fn ask(&self, _: MethodRef<'_>, _: &mut Options) -> RequestSpan {
        RequestSpan::none()
    }
}

#[cfg(feature = "tokio")]
impl Telemetry {
    pub(crate) const fn around(&self, services: Services) -> Services {
        services
    }

    pub(crate) fn refuse(&self, _: &str, _: &Request, _: &Failure) {}
}

/// A request that nobody is told of.
#[derive(Default)]
pub(crate) struct RequestSpan(());

impl RequestSpan {
    pub(crate) const fn none() -> Self {
        Self(())
    }

    pub(crate) const fn end<T>(self, _: &Result<T, Failure>) {}
}
