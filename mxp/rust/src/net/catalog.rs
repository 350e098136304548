//! The catalog of a server's services, for tools that have no schema of them [MXP-13.10].

use std::boxed::Box;
use std::format;
use std::string::String;
use std::sync::OnceLock;
use std::vec::Vec;

use crate::net::reflection::{self, DescribeRequest, ListRequest, Reflection, ServiceList};
use crate::net::service::Services;
use crate::net::typed::Context;
use crate::net::MethodKind;
use crate::net::{Failure, Service};
use crate::session::{Kind, MethodName, TypeInfo};

/// The services of a server, which is known when it listens.
#[derive(Default)]
pub(crate) struct Catalog(pub(crate) OnceLock<Services>);

impl Catalog {
    fn services(&self) -> &[Service] {
        self.0.get().map_or(&[], |services| &services.0)
    }
}

impl Reflection for Catalog {
    async fn list(&self, _: ListRequest, _: Context) -> Result<ServiceList, Failure> {
        let names = self.services().iter().map(|service| service.name.clone());
        Ok(ServiceList::new().with_names(names.collect()))
    }

    async fn describe(
        &self,
        request: DescribeRequest,
        _: Context,
    ) -> Result<reflection::Service, Failure> {
        let mut services = self.services().iter();
        let Some(service) = services.find(|service| service.name == request.service) else {
            let text = format!("there is no service {}", request.service);
            return Err(Failure::saying(Kind::ServiceUnknown, text));
        };
        Ok(described(service))
    }
}

fn described(service: &Service) -> reflection::Service {
    // By name, each once.
    let types = Services([service.clone()].into()).types(&[]);
    let methods = service.methods.iter().map(|(&number, method)| {
        let kind = method.kind();
        let untyped = kind == MethodKind::Stream;
        let flows = service.flows.get(&number).copied();
        let (requests, responses) = flows.unwrap_or((untyped, untyped));
        let request = value(service, &types, number, |info| &info.requests, requests);
        let response = value(service, &types, number, |info| &info.responses, responses);
        let has_response = kind != MethodKind::Event;
        reflection::Method::new()
            .with_name(service.names.get(&number).cloned().unwrap_or_default())
            .with_number(number)
            .with_kind(match kind {
                MethodKind::Call => reflection::Kind::Call,
                MethodKind::Stream => reflection::Kind::Stream,
                MethodKind::Event => reflection::Kind::Event,
            })
            .with_idempotent(service.idempotent.contains(&number))
            .with_request(request)
            .with_response(has_response.then(|| Box::new(response)))
    });
    let methods = methods.collect();
    let types = types.into_iter().map(|info| {
        reflection::Type::new()
            .with_name(info.name)
            .with_fingerprints(info.fingerprints)
            .with_layout(info.text)
    });
    reflection::Service::new()
        .with_name(service.name.clone())
        .with_methods(methods)
        .with_types(types.collect())
}

/// The value that passes in one direction of a method.
fn value(
    service: &Service,
    types: &[TypeInfo],
    number: u16,
    list: fn(&TypeInfo) -> &Vec<MethodName>,
    flows: bool,
) -> reflection::Value {
    let is_it = |entry: &MethodName| entry.service == service.name && entry.number == number;
    let found = types.iter().find(|info| list(info).iter().any(is_it));
    let name: String = found.map_or_else(String::new, |info| info.name.clone());
    reflection::Value::new().with_type(name).with_flows(flows)
}
