//! The client for threads.

use std::sync::atomic::Ordering;

use mxp::net::typed::BlockingCaller;
use mxp::net::{blocking, Failure, Options, Server, Service};
use mxp::session::{Status, TypeInfo};

use crate::golden::golden_goods::Nothing;
use crate::golden::golden_shop::{Notice, Query};
use crate::golden::golden_shop_service::{ShopBlockingClient, ShopClient};
use crate::shop::{item, pair, stock, until};

/// Asks from a thread without a runtime.
fn ask(address: &str) {
    let mut shop = ShopBlockingClient::connect(address).unwrap();
    assert_eq!(shop.find(&item(3)).unwrap(), stock(3, 7));
    assert_eq!(shop.sell(&stock(1, 1)).unwrap(), Nothing {});
    shop.noticed(&Notice::Sold(item(1).into())).unwrap();
    shop.noticed_acked(&Notice::Sold(item(2).into())).unwrap();
    shop.clean_up_acked(&Nothing {}).unwrap();
    let odd = Notice::Unknown {
        tag: 77,
        payload: vec![],
    };
    let failure = shop.noticed_acked(&odd).unwrap_err();
    assert_eq!(failure.name, "notice_odd");
    let long = item(3).with_name("x".repeat(17));
    let failure: Failure = shop.find(&long).unwrap_err();
    assert_eq!(
        (failure.status, failure.acted),
        (Status::INVALID_ARGUMENT, false)
    );
    shop.set_options(Options::new().with("closed", "yes"));
    assert_eq!(shop.find(&item(3)).unwrap_err().name, "shop_closed");
    shop.set_options(Options::new());
    assert_eq!(shop.find(&item(4)).unwrap().item.id, 4);
}

/// Opens streams from a thread without a runtime.
fn flow(address: &str) {
    let shop = ShopBlockingClient::connect(address).unwrap();
    let list = shop
        .list(&Query {
            first: 1,
            last: 3000,
        })
        .unwrap();
    let ids: Vec<_> = list.map(|entry| entry.unwrap().item.id).collect();
    assert_eq!(ids, (1..=3000).collect::<Vec<_>>());
    let sold = |id| Notice::Sold(item(id).into());
    shop.noticed_all((1..=100).map(sold)).unwrap();
    shop.noticed_acked(&sold(101)).unwrap();
    let all = Query {
        first: 1,
        last: 3000,
    };
    let (mut list, mut found) = (shop.list(&all).unwrap(), Vec::new());
    while list.receive_many(&mut found, 70).unwrap() > 0 {
        // The rest of the values that have come is received one by one.
        found.extend(list.receive().unwrap());
    }
    assert!(found.into_iter().eq((1..=3000).map(|id| stock(id, 1))));
    let deliver = shop.deliver().unwrap();
    deliver.send_all((1..=500).map(|n| stock(1, n))).unwrap();
    let long = stock(1, 1).with_item(item(1).with_name("x".repeat(17)));
    let failure = deliver.send(&long).unwrap_err();
    assert_eq!(failure.status, Status::INVALID_ARGUMENT);
    assert_eq!(deliver.sent(), 500);
    assert_eq!(deliver.finish().unwrap().count, 125_250);
    let deliver = shop.deliver().unwrap();
    deliver.send(&stock(1, 0)).unwrap();
    let failure = deliver.finish().unwrap_err();
    assert_eq!((&failure.name[..], failure.acted), ("stock_empty", true));
    let mut both = shop.ask_url().unwrap();
    for id in 1..=300 {
        both.send(&Query { first: id, last: 1 }).unwrap();
        assert_eq!(both.receive().unwrap().unwrap().id, id);
    }
    both.finish().unwrap();
    assert_eq!(both.receive().unwrap(), None);
    let soon = Options::new().with_deadline(std::time::Duration::from_millis(20));
    let mut both = shop.with(soon).ask_url().unwrap();
    let failure = both.receive().unwrap_err();
    assert_eq!(failure.name, "deadline_exceeded");
    assert_eq!(failure.method(), "golden.shop.Shop/ask_url");
}

#[tokio::test]
async fn a_thread_has_streams_of_values() {
    let (server, _shop, corner) = pair().await;
    let address = server.address().to_string();
    tokio::task::spawn_blocking(move || flow(&address))
        .await
        .unwrap();
    until("the handlers have ended", || {
        corner.ended.load(Ordering::SeqCst) >= 4 && server.stats().in_flight() == (0, 0)
    })
    .await;
}

#[tokio::test]
async fn an_answer_of_a_stream_that_is_none_ends_it() {
    let service = Service::new("golden.shop.Shop")
        .stream(3, |_, stream| async move { stream.send(vec![9]).await })
        .stream(4, |_, _| async { Ok(()) });
    let server = Server::new().service(service);
    let server = server.listen(&crate::shop::address()).await.unwrap();
    let address = server.address().to_string();
    let asking = move || {
        let shop = ShopBlockingClient::connect(&address).unwrap();
        let mut list = shop.list(&Query { first: 1, last: 2 }).unwrap();
        let failure = list.receive().unwrap_err();
        assert_eq!((failure.status, failure.acted), (Status::DATA_LOSS, true));
        assert_eq!(list.receive().unwrap_err(), failure);
        let failure = shop.deliver().unwrap().finish().unwrap_err();
        assert_eq!(
            (&failure.name[..], failure.acted),
            ("stream_responses", true)
        );
    };
    tokio::task::spawn_blocking(asking).await.unwrap();
    until("nothing is in flight", || {
        server.stats().in_flight() == (0, 0)
    })
    .await;
}

#[tokio::test]
async fn a_thread_asks_with_types() {
    let (server, _shop, corner) = pair().await;
    let address = server.address().to_string();
    tokio::task::spawn_blocking(move || ask(&address))
        .await
        .unwrap();
    assert_eq!(corner.notices.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_thread_learns_where_schemas_differ() {
    let (server, _shop, _) = pair().await;
    let address = server.address().to_string();
    let connecting = move || {
        let mut types = ShopClient::types();
        types.reverse();
        let found = types.iter_mut().find(|t| t.name.ends_with("Query"));
        let query = found.unwrap();
        *query = TypeInfo::new(&query.name, &[1], &query.text.replace("u64", "u32"));
        blocking::Client::connect_with(&address, types).map(BlockingCaller::new)
    };
    let refused = tokio::task::spawn_blocking(connecting).await.unwrap();
    let text = refused.unwrap_err().to_string();
    assert!(
        text.contains("golden.shop.Query.first: here u32, there u64"),
        "{text}"
    );
}
