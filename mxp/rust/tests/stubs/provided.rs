//! Services that the library serves beside its user's.

use std::sync::Arc;
use std::time::Duration;

use mxp::net::health::{HealthClient, Report, Request, State};
use mxp::net::reflection::{DescribeRequest, Kind, ListRequest, ReflectionClient};
use mxp::net::{ClientOptions, HealthReporter, Server, ServerHandle};
use mxp::session::{Limits, Status};
use tokio::sync::Notify;

use crate::golden::golden_shop_service::{shop_service, ShopClient};
use crate::shop::{address, pair, Corner};

const SHOP: &str = "golden.shop.Shop";

async fn served(reporter: &HealthReporter) -> ServerHandle {
    let shop = shop_service(Arc::new(Corner::default()));
    let server = Server::new().service(shop).health(reporter).reflection();
    server.listen(&address()).await.unwrap()
}

fn about(service: &str) -> Request {
    Request::new().with_service(service.into())
}

fn is(state: State) -> Report {
    Report::new().with_state(state)
}

/// [MXP-13.8], [MXP-13.9]
#[tokio::test]
async fn health_is_what_its_reporter_says_and_holds_no_drain() {
    let reporter = HealthReporter::new();
    let server = served(&reporter).await;
    let health = HealthClient::connect(&server.address().to_string()).unwrap();
    for (service, state) in [
        ("", State::Serving),
        (SHOP, State::Serving),
        ("mxp.health.Health", State::Serving),
        ("mxp.reflection.Reflection", State::Serving),
        ("golden.shop.Other", State::Unknown_),
    ] {
        assert_eq!(
            health.check(&about(service)).await.unwrap(),
            is(state),
            "{service}"
        );
    }
    let mut shop = health.watch(&about(SHOP)).await.unwrap();
    let mut all = health.watch(&about("")).await.unwrap();
    let mut other = health.watch(&about("golden.shop.Other")).await.unwrap();
    assert_eq!(shop.receive().await.unwrap(), Some(is(State::Serving)));
    assert_eq!(all.receive().await.unwrap(), Some(is(State::Serving)));
    assert_eq!(other.receive().await.unwrap(), Some(is(State::Unknown_)));
    // A service that the server has not stays unknown.
    reporter.set("golden.shop.Other", State::Serving);
    reporter.set(SHOP, State::NotServing);
    assert_eq!(shop.receive().await.unwrap(), Some(is(State::NotServing)));
    let now = health.check(&about(SHOP)).await.unwrap();
    assert_eq!(now, is(State::NotServing));
    reporter.set(SHOP, State::Serving);
    assert_eq!(shop.receive().await.unwrap(), Some(is(State::Serving)));

    let drained = tokio::time::timeout(Duration::from_secs(30), server.drain("done"));
    let seen = async {
        for stream in [&mut shop, &mut all, &mut other] {
            assert_eq!(stream.receive().await.unwrap(), Some(is(State::NotServing)));
            assert_eq!(stream.receive().await.unwrap(), None);
        }
    };
    let (drained, ()) = tokio::join!(drained, seen);
    drained.expect("no stream holds the drain");
}

/// A check that is asked before a drain and answered during it says that nothing serves.
/// [MXP-13.9]
#[tokio::test]
async fn a_check_during_a_drain_is_not_serving() {
    let (came, drains) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (comes, drained) = (came.clone(), drains.clone());
    let server = Server::new().health(&HealthReporter::new());
    let server = server.intercept(move |request, next| {
        let (comes, drained) = (comes.clone(), drained.clone());
        async move {
            if next.name() == "check" {
                comes.notify_one();
                drained.notified().await;
            }
            next.run(request).await
        }
    });
    let server = server.listen(&address()).await.unwrap();
    let health = HealthClient::connect(&server.address().to_string()).unwrap();
    let mut watched = health.watch(&about("")).await.unwrap();
    assert_eq!(watched.receive().await.unwrap(), Some(is(State::Serving)));
    let drain = async {
        came.notified().await;
        server.drain("done").await;
    };
    let seen = async {
        let told = watched.receive().await.unwrap();
        drains.notify_one();
        told
    };
    let request = about("");
    let (report, (), told) = tokio::join!(health.check(&request), drain, seen);
    assert_eq!(told, Some(is(State::NotServing)));
    assert_eq!(report.unwrap(), is(State::NotServing));
}

/// An answer is as long as it is: who takes less is refused it, and goes on. [MXP-13.10]
#[tokio::test]
async fn a_description_that_the_peer_does_not_take_is_refused() {
    let server = served(&HealthReporter::new()).await;
    let limits = Limits {
        payload_bytes: 700,
        ..Limits::default()
    };
    let options = ClientOptions::new().types(ReflectionClient::types());
    let client = options
        .limits(limits)
        .connect(&server.address().to_string());
    let reflection = ReflectionClient::new(client.unwrap());
    let shop = DescribeRequest::new().with_service(SHOP.into());
    let refused = reflection.describe(&shop).await.unwrap_err();
    assert_eq!(refused.name, "payload_too_large");
    assert_eq!(
        (refused.status, refused.acted),
        (Status::OUT_OF_RANGE, true)
    );
    let names = reflection.list(&ListRequest::new()).await.unwrap().names;
    assert_eq!(names.len(), 3);
}

/// [MXP-13.10]
#[tokio::test]
async fn services_describe_themselves_as_their_schemas_do() {
    let server = served(&HealthReporter::new()).await;
    let reflection = ReflectionClient::connect(&server.address().to_string()).unwrap();
    let names = reflection.list(&ListRequest::new()).await.unwrap().names;
    assert_eq!(
        names,
        [SHOP, "mxp.health.Health", "mxp.reflection.Reflection"]
    );
    let describe = |name: &str| DescribeRequest::new().with_service(name.into());
    let shop = reflection.describe(&describe(SHOP)).await.unwrap();
    assert_eq!(shop.name, SHOP);
    let methods: Vec<_> = shop
        .methods
        .iter()
        .map(|method| {
            let value = |value: &mxp::net::reflection::Value| {
                let flows = if value.flows { "stream " } else { "" };
                let short = value.r#type.rsplit('.').next().unwrap_or_default();
                format!("{flows}{short}")
            };
            let response = method.response.as_deref().map(value);
            let response = response.unwrap_or_default();
            let request = value(&method.request);
            format!("{:?} {} {request} -> {response}", method.kind, method.name)
        })
        .collect();
    let find = |name: &str| {
        let mut methods = methods.iter().filter(|method| method.contains(name));
        methods.next().unwrap().clone()
    };
    assert_eq!(find(" find "), "Call find Item -> Stock");
    assert_eq!(find(" list "), "Stream list Query -> stream Stock");
    assert_eq!(find(" deliver "), "Stream deliver stream Stock -> Stock");
    assert_eq!(find(" noticed "), "Event noticed Notice -> ");
    assert!(shop
        .methods
        .windows(2)
        .all(|two| two[0].number < two[1].number));
    assert!(shop
        .methods
        .iter()
        .any(|method| method.kind == Kind::Event && method.response.is_none()));
    assert!(shop.types.windows(2).all(|two| two[0].name < two[1].name));
    for info in ShopClient::types() {
        let told = shop.types.iter().find(|t| t.name == info.name).unwrap();
        assert_eq!(
            (&told.layout, &told.fingerprints),
            (&info.text, &info.fingerprints)
        );
    }
    let health = reflection
        .describe(&describe("mxp.health.Health"))
        .await
        .unwrap();
    assert!(health.methods[0].idempotent && !health.methods[1].idempotent);
    let unknown = reflection.describe(&describe("golden.shop.Other")).await;
    assert_eq!(unknown.unwrap_err().name, "service_unknown");
}

/// [MXP-13.8], [MXP-13.10]
#[tokio::test]
async fn neither_is_served_by_itself() {
    let (server, ..) = pair().await;
    let address = server.address().to_string();
    let health = HealthClient::connect(&address).unwrap();
    let refused = health.check(&about("")).await.unwrap_err();
    assert_eq!(refused.name, "service_unknown");
    let reflection = ReflectionClient::connect(&address).unwrap();
    let refused = reflection.list(&ListRequest::new()).await.unwrap_err();
    assert_eq!(refused.name, "service_unknown");
}
