//! Calls, events, and what their values can do wrong.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use mxp::net::{Client, ClientOptions, Failure, MethodKind, Next, Options, Reply, Server, Service};
use mxp::session::Status;

use crate::golden::golden_goods::{Item, Nothing};
use crate::golden::golden_shop::{Notice, Query, Stock};
use crate::golden::golden_shop_service::{shop_service, ShopClient};
use crate::shop::{address, item, pair, stock, Corner};

const SHOP: &str = "golden.shop.Shop";

fn is(failure: &Failure, status: Status, name: &str, acted: bool) {
    assert_eq!(
        (&failure.name[..], failure.status, failure.acted),
        (name, status, acted)
    );
}

#[tokio::test]
async fn calls_are_answered_and_refused_with_types() {
    let (_server, shop, _) = pair().await;
    let found = shop.find(&item(3)).await.unwrap();
    assert_eq!(found, stock(3, 7));
    assert_eq!(shop.sell(&stock(1, 1)).await.unwrap(), Nothing {});
    let closed = shop.with(Options::new().with("closed", "yes"));
    let failure = closed.find(&item(3)).await.unwrap_err();
    is(&failure, Status::UNAVAILABLE, "shop_closed", true);
    assert_eq!(
        (&failure.text[..], failure.details),
        ("come tomorrow", vec![1, 2])
    );
    #[allow(deprecated, reason = "it is served")]
    let found = shop.find_old(&item(4)).await.unwrap();
    assert_eq!(found.item.id, 4);
    let failure = shop.sell(&stock(1, 1000)).await.unwrap_err();
    is(&failure, Status::INTERNAL, "internal", true);
}

#[tokio::test]
async fn events_are_taken_in_order() {
    let (_server, shop, corner) = pair().await;
    for id in 1..98 {
        shop.noticed(&Notice::Sold(item(id).into())).await.unwrap();
    }
    let many = [98, 99].map(|id| Notice::Sold(item(id).into()));
    shop.noticed_all(&many).await.unwrap();
    shop.noticed_acked(&Notice::Sold(item(100).into()))
        .await
        .unwrap();
    assert_eq!(corner.notices.load(Ordering::SeqCst), 100);
    let odd = Notice::Unknown {
        tag: 77,
        payload: vec![],
    };
    let failure = shop.noticed_acked(&odd).await.unwrap_err();
    is(&failure, Status::ABORTED, "notice_odd", true);
    shop.clean_up_acked(&Nothing {}).await.unwrap();
}

#[tokio::test]
async fn a_request_that_cannot_be_decoded_is_refused() {
    let (server, shop, _) = pair().await;
    shop.clean_up(&Nothing {}).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let cut = item(3).encode_to_vec().unwrap();
    let cut = cut[..cut.len() - 1].to_vec();
    let refusal = Item::decode(&cut).unwrap_err();
    for method in [1, 7] {
        let failure = client
            .call(SHOP, method, cut.clone(), &Options::new())
            .await;
        let failure = failure.unwrap_err();
        is(
            &failure,
            Status::INVALID_ARGUMENT,
            refusal.kind.as_str(),
            false,
        );
        assert_eq!(failure.text, refusal.to_string());
    }
    let failure = client
        .event_acked(SHOP, 65535, vec![1], &Options::new())
        .await;
    let failure = failure.unwrap_err();
    assert_eq!(
        (failure.status, failure.acted),
        (Status::INVALID_ARGUMENT, false)
    );
}

#[tokio::test]
async fn what_cannot_be_encoded_is_not_sent() {
    let (server, shop, _) = pair().await;
    let long = item(3).with_name("x".repeat(17));
    let failure = shop.find(&long).await.unwrap_err();
    let refusal = long.encode_to_vec().unwrap_err();
    is(
        &failure,
        Status::INVALID_ARGUMENT,
        refusal.kind.as_str(),
        false,
    );
    assert_eq!(failure.text, refusal.to_string());
    assert_eq!(server.stats().frames_in(mxp::frame::Type::Call), 0);
}

#[tokio::test]
async fn an_answer_that_cannot_be_decoded_has_been_acted_on() {
    let odd = Service::new(SHOP).call(1, |_| async { Ok(Reply::new(vec![9])) });
    let server = Server::new().service(odd).listen(&address()).await.unwrap();
    let shop = ShopClient::connect(&server.address().to_string()).unwrap();
    let failure = shop.find(&item(3)).await.unwrap_err();
    let refusal = Stock::decode(&[9]).unwrap_err();
    is(&failure, Status::DATA_LOSS, refusal.kind.as_str(), true);
    assert_eq!(failure.text, refusal.to_string());
}

#[tokio::test]
async fn methods_whose_schemas_differ_are_refused_by_themselves() {
    let (server, _shop, _) = pair().await;
    let mut types = ShopClient::types();
    let names: Vec<_> = types.iter().map(|t| t.name.clone()).collect();
    assert!(names.windows(2).all(|two| two[0] < two[1]), "{names:?}");
    let query = types.iter_mut().find(|t| t.name == "golden.shop.Query");
    let query = query.unwrap();
    query.fingerprints = vec![1];
    query.text = query.text.replace("last u64", "last u32");
    let options = ClientOptions::new().types(types);
    let client = options.connect(&server.address().to_string()).unwrap();
    let shop = ShopClient::new(client);
    shop.find(&item(1)).await.unwrap();
    let failure = shop.list(&Query::default()).await.unwrap_err();
    let text = failure.to_string();
    let (method, text) = text.split_once(" at ").unwrap();
    assert_eq!(method, "golden.shop.Shop/list");
    let differing =
        "session_schema: golden.shop.Query.last: here u32, there u64; it was not acted on";
    assert!(text.ends_with(differing), "{text}");
    assert!(!failure.acted);
}

/// The description of a method that an interceptor is told.
type What = (String, u16, String, MethodKind, bool);

fn what(next: &Next) -> What {
    let (service, name) = (next.service().to_owned(), next.name().to_owned());
    let is_idempotent = next.is_idempotent();
    (service, next.number(), name, next.kind(), is_idempotent)
}

#[tokio::test]
async fn interceptors_know_what_is_asked_for() {
    let (there, here) = (Arc::new(Mutex::new(vec![])), Arc::new(Mutex::new(vec![])));
    let sink = Arc::clone(&there);
    let server = Server::new()
        .service(shop_service(Arc::new(Corner::default())))
        .intercept(move |request, next| {
            sink.lock().unwrap().push(what(&next));
            next.run(request)
        });
    let server = server.listen(&address()).await.unwrap();
    let sink = Arc::clone(&here);
    let options = ClientOptions::new().intercept(move |request, next| {
        sink.lock().unwrap().push(what(&next));
        next.run(request)
    });
    let client = options.connect(&server.address().to_string()).unwrap();
    let shop = ShopClient::new(client);
    shop.find(&item(1)).await.unwrap();
    shop.clean_up_acked(&Nothing {}).await.unwrap();
    shop.deliver().await.unwrap().finish().await.unwrap();
    let want = [
        (1, "find", MethodKind::Call, true),
        (8, "CLEAN_up", MethodKind::Event, false),
        (4, "deliver", MethodKind::Stream, false),
    ];
    let want = want.map(|(number, name, kind, is_idempotent)| {
        (
            SHOP.to_owned(),
            number,
            name.to_owned(),
            kind,
            is_idempotent,
        )
    });
    assert_eq!(*there.lock().unwrap(), want);
    assert_eq!(*here.lock().unwrap(), want);
}

#[allow(deprecated, reason = "it is served")]
mod empty {
    use crate::golden::golden_shop_service::{empty_service, Empty};

    struct Nobody;

    impl Empty for Nobody {}

    pub(crate) fn service() -> mxp::net::Service {
        empty_service(std::sync::Arc::new(Nobody))
    }
}

#[tokio::test]
async fn a_service_without_methods_is_one() {
    let server = Server::new().service(empty::service());
    let server = server.listen(&address()).await.unwrap();
    let client = Client::connect(&server.address().to_string()).unwrap();
    let options = Options::new();
    let failure = client.call("golden.shop.Empty", 1, vec![], &options);
    assert_eq!(failure.await.unwrap_err().name, "method_unknown");
}
