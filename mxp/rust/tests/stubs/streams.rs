//! Streams of values.

use std::pin::pin;
use std::sync::atomic::Ordering;

use futures_core::Stream as _;
use mxp::net::{Client, Options, Server, ServerHandle, Service};
use mxp::session::Status;

use crate::golden::golden_goods::Item;
use crate::golden::golden_shop::{Query, Stock};
use crate::golden::golden_shop_service::ShopClient;
use crate::shop::{address, pair, stock, until};

const SHOP: &str = "golden.shop.Shop";

fn query(first: u64, last: u64) -> Query {
    Query { first, last }
}

#[tokio::test]
async fn responses_flow_until_the_handler_is_done() {
    let (server, shop, _) = pair().await;
    let mut list = shop.list(&query(1, 1000)).await.unwrap();
    for id in 1..=1000 {
        let found = list.receive().await.unwrap();
        assert_eq!(found, Some(stock(id, 1)));
    }
    assert_eq!(list.receive().await.unwrap(), None);
    drop(list);
    until("nothing is in flight", || {
        server.stats().in_flight() == (0, 0)
    })
    .await;
}

#[tokio::test]
async fn a_receiver_is_a_stream_that_ends_behind_a_failure() {
    let (_server, shop, _) = pair().await;
    let mut list = pin!(shop.list(&query(1, 3)).await.unwrap());
    let mut ids = Vec::new();
    while let Some(found) = std::future::poll_fn(|context| list.as_mut().poll_next(context)).await {
        ids.push(found.unwrap().item.id);
    }
    assert_eq!(ids, [1, 2, 3]);
    let options = Options::new().with_deadline(std::time::Duration::from_millis(50));
    let stream = shop.with(options).ask_url().await.unwrap();
    let mut items = pin!(stream.receiver);
    let failed = std::future::poll_fn(|context| items.as_mut().poll_next(context)).await;
    assert_eq!(failed.unwrap().unwrap_err().name, "deadline_exceeded");
    let ended = std::future::poll_fn(|context| items.as_mut().poll_next(context)).await;
    assert!(ended.is_none());
}

#[tokio::test]
async fn what_is_dropped_is_cancelled() {
    let (server, shop, corner) = pair().await;
    let mut list = shop.list(&query(1, 1_000_000)).await.unwrap();
    list.receive().await.unwrap();
    let deliver = shop.deliver().await.unwrap();
    deliver.send(&stock(1, 1)).await.unwrap();
    let both = shop.ask_url().await.unwrap();
    both.send(&query(1, 1)).await.unwrap();
    until("they are served", || server.stats().in_flight().1 == 3).await;
    drop((list, deliver, both));
    until("they are gone", || server.stats().in_flight().1 == 0).await;
    until("so are their handlers", || {
        corner.ended.load(Ordering::SeqCst) == 3
    })
    .await;
}

#[tokio::test]
async fn requests_flow_and_have_one_response() {
    let (_server, shop, _) = pair().await;
    let deliver = shop.deliver().await.unwrap();
    for n in 1..=500 {
        deliver.send(&stock(1, n)).await.unwrap();
    }
    assert_eq!(deliver.finish().await.unwrap().count, 125_250);
    let none = shop.deliver().await.unwrap();
    assert_eq!(none.finish().await.unwrap(), Stock::new());
    // It fails while requests are still sent.
    let deliver = shop.deliver().await.unwrap();
    deliver.send(&stock(1, 0)).await.unwrap();
    let failure = deliver.finish().await.unwrap_err();
    assert_eq!((&failure.name[..], failure.acted), ("stock_empty", true));
}

#[tokio::test]
async fn both_directions_flow_in_step() {
    let (server, shop, _) = pair().await;
    let mut both = shop.ask_url().await.unwrap();
    for id in 1..=300 {
        both.send(&query(id, 1)).await.unwrap();
        assert_eq!(both.receive().await.unwrap().unwrap().id, id);
    }
    both.finish().unwrap();
    assert_eq!(both.receive().await.unwrap(), None);
    until("nothing is in flight", || {
        server.stats().in_flight() == (0, 0)
    })
    .await;
}

#[tokio::test]
async fn a_request_that_cannot_be_decoded_ends_its_stream() {
    let (server, shop, corner) = pair().await;
    let client = Client::connect(&server.address().to_string()).unwrap();
    for method in [4, 5] {
        let stream = client.open(SHOP, method, vec![], &Options::new()).await;
        let mut stream = stream.unwrap();
        stream.send(vec![9]).await.unwrap();
        let failure = stream.receive().await.unwrap_err();
        assert_eq!(
            (failure.status, failure.acted),
            (Status::INVALID_ARGUMENT, true)
        );
        let refusal = match method {
            4 => Stock::decode(&[9]).unwrap_err(),
            _ => Query::decode(&[9]).unwrap_err(),
        };
        assert_eq!(
            (failure.name, failure.text),
            (refusal.kind.as_str().to_owned(), refusal.to_string())
        );
    }
    // Of one that opens a stream nobody has seen anything.
    let mut stream = client
        .open(SHOP, 3, vec![9], &Options::new())
        .await
        .unwrap();
    let failure = stream.receive().await.unwrap_err();
    assert_eq!(
        (failure.status, failure.acted),
        (Status::INVALID_ARGUMENT, false)
    );
    until("the handlers have ended", || {
        corner.ended.load(Ordering::SeqCst) == 2
    })
    .await;
    until("nothing is in flight", || {
        server.stats().in_flight() == (0, 0)
    })
    .await;
    drop(shop);
}

#[tokio::test]
async fn a_response_that_cannot_be_encoded_ends_the_stream() {
    let (_server, shop, _) = pair().await;
    let mut both = shop.ask_url().await.unwrap();
    both.send(&query(1, 0)).await.unwrap();
    let failure = both.receive().await.unwrap_err();
    let long = Item::new().with_id(1).with_name("x".repeat(17));
    let refusal = long.encode_to_vec().unwrap_err();
    assert_eq!(
        (&failure.name[..], failure.status),
        (refusal.kind.as_str(), Status::INTERNAL)
    );
    // A request that can't be encoded is not sent, and the stream goes on.
    let deliver = shop.deliver().await.unwrap();
    let long = stock(1, 1).with_item(long);
    let failure = deliver.send(&long).await.unwrap_err();
    assert_eq!(failure.status, Status::INVALID_ARGUMENT);
    deliver.send(&stock(1, 5)).await.unwrap();
    assert_eq!(deliver.finish().await.unwrap().count, 5);
}

/// A server whose streams send some chunks, and then end.
async fn odd(chunks: Vec<Vec<u8>>) -> (ServerHandle, ShopClient) {
    let mut service = Service::new(SHOP);
    for method in [3, 4] {
        let chunks = chunks.clone();
        service = service.stream(method, move |_, stream| {
            let chunks = chunks.clone();
            async move {
                for chunk in chunks {
                    stream.send(chunk).await?;
                }
                Ok(())
            }
        });
    }
    let server = Server::new().service(service);
    let server = server.listen(&address()).await.unwrap();
    let client = ShopClient::connect(&server.address().to_string()).unwrap();
    (server, client)
}

#[tokio::test]
async fn a_response_that_cannot_be_decoded_cancels_the_stream() {
    let (server, shop) = odd(vec![vec![9]]).await;
    let mut list = shop.list(&query(1, 2)).await.unwrap();
    let failure = list.receive().await.unwrap_err();
    let refusal = Stock::decode(&[9]).unwrap_err();
    assert_eq!(failure.name, refusal.kind.as_str());
    assert_eq!(failure.text, refusal.to_string());
    assert_eq!((failure.status, failure.acted), (Status::DATA_LOSS, true));
    assert_eq!(list.receive().await.unwrap_err(), failure);
    until("it is gone", || server.stats().in_flight() == (0, 0)).await;
}

#[tokio::test]
async fn a_stream_has_exactly_one_response_where_none_flow() {
    let one = stock(1, 1).encode_to_vec().unwrap();
    for chunks in [vec![], vec![one.clone(), one.clone()]] {
        let (server, shop) = odd(chunks).await;
        let deliver = shop.deliver().await.unwrap();
        let failure = deliver.finish().await.unwrap_err();
        assert_eq!(failure.name, "stream_responses");
        assert_eq!((failure.status, failure.acted), (Status::INTERNAL, true));
        until("it is gone", || server.stats().in_flight() == (0, 0)).await;
    }
    let (_server, shop) = odd(vec![one]).await;
    let deliver = shop.deliver().await.unwrap();
    assert_eq!(deliver.finish().await.unwrap(), stock(1, 1));
}
