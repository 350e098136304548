//! The shop, served by threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Duration;

use mxp::net::blocking::{Server, ServerHandle};
use mxp::net::typed::blocking::{Receiver, Sender};
use mxp::net::typed::{reply_with, Context};
use mxp::net::{blocking, AnswerMetadata, Failure, Options};
use mxp::session::Status;

use crate::golden::golden_goods::{Item, Nothing};
use crate::golden::golden_shop::{Notice, Query, Stock};
use crate::golden::golden_shop_service::{shop_blocking_service, ShopBlocking, ShopBlockingClient};
use crate::shop::{address, item, stock};

#[derive(Default)]
struct Counter {
    notices: AtomicU64,
}

impl ShopBlocking for Counter {
    fn find(&self, request: Item, context: Context) -> Result<Stock, Failure> {
        assert!(reply_with("cache", context.get("key").unwrap_or(b"none")));
        Ok(Stock::new().with_item(request).with_count(7))
    }

    fn sell(&self, request: Stock, _: Context) -> Result<Nothing, Failure> {
        let name = format!("{} are gone", request.count);
        Err(Failure::new(Status::NOT_FOUND, "sold_out", name).refused())
    }

    fn list(&self, request: Query, responses: Sender<Stock>, _: Context) -> Result<(), Failure> {
        responses.send_all((request.first..=request.last).map(|id| stock(id, 1)))
    }

    fn deliver(&self, requests: Receiver<Stock>, _: Context) -> Result<Stock, Failure> {
        let mut all = stock(1, 0);
        for request in requests {
            all.count += request?.count;
        }
        Ok(all)
    }

    fn ask_url(
        &self,
        mut requests: Receiver<Query>,
        responses: Sender<Item>,
        _: Context,
    ) -> Result<(), Failure> {
        while let Some(query) = requests.receive()? {
            let name = "x".repeat(usize::try_from(query.last).unwrap());
            responses.send(&Item::new().with_id(query.first).with_name(name))?;
        }
        Ok(())
    }

    fn noticed(&self, _: Notice, _: Context) -> Result<(), Failure> {
        self.notices.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    fn find_old(&self, request: Item, context: Context) -> Result<Stock, Failure> {
        self.find(request, context)
    }

    fn clean_up(&self, _: Nothing, _: Context) -> Result<(), Failure> {
        assert!(!reply_with("no", "answer's"), "an event has no answer");
        Ok(())
    }
}

fn serve() -> (ServerHandle, ShopBlockingClient, Arc<Counter>) {
    let counter = Arc::new(Counter::default());
    let service = shop_blocking_service(Arc::clone(&counter));
    let server = Server::new().service(service).listen(&address()).unwrap();
    let shop = ShopBlockingClient::connect(&server.address().to_string()).unwrap();
    (server, shop, counter)
}

#[test]
fn a_program_without_a_runtime_serves_and_asks() {
    let (server, shop, counter) = serve();
    let metadata = AnswerMetadata::new();
    let options = Options::new().with("key", "hit").reading(&metadata);
    assert_eq!(shop.with(options).find(&item(3)).unwrap(), stock(3, 7));
    assert_eq!(metadata.get("cache"), Some(b"hit".to_vec()));
    let failure = shop.sell(&stock(1, 5)).unwrap_err();
    assert_eq!(
        (&failure.name[..], &failure.text[..], failure.acted),
        ("sold_out", "5 are gone", false)
    );
    let list = shop
        .list(&Query {
            first: 1,
            last: 2000,
        })
        .unwrap();
    let ids: Vec<_> = list.map(|entry| entry.unwrap().item.id).collect();
    assert_eq!(ids, (1..=2000).collect::<Vec<_>>());
    let deliver = shop.deliver().unwrap();
    deliver.send_all((1..=500).map(|n| stock(1, n))).unwrap();
    assert_eq!(deliver.finish().unwrap().count, 125_250);
    let mut both = shop.ask_url().unwrap();
    for id in 1..=300 {
        both.send(&Query { first: id, last: 1 }).unwrap();
        assert_eq!(both.receive().unwrap().unwrap().id, id);
    }
    both.finish().unwrap();
    assert_eq!(both.receive().unwrap(), None);
    for n in 1..=3 {
        shop.noticed(&Notice::Sold(item(n).into())).unwrap();
    }
    shop.clean_up_acked(&Nothing {}).unwrap();
    assert_eq!(counter.notices.load(Ordering::SeqCst), 3);
    drop((both, shop));
    assert!(server.shutdown(Duration::from_secs(60)));
}

#[test]
fn values_that_are_none_are_refused_on_threads_too() {
    let (server, shop, _) = serve();
    // A response that can't be encoded ends the stream.
    let mut both = shop.ask_url().unwrap();
    both.send(&Query { first: 1, last: 17 }).unwrap();
    assert_eq!(both.receive().unwrap_err().status, Status::INTERNAL);
    let client = blocking::Client::connect(&server.address().to_string()).unwrap();
    let options = Options::new();
    for (method, acted) in [(3, false), (4, true), (5, true)] {
        let stream = client.open("golden.shop.Shop", method, vec![9], &options);
        let mut stream = stream.unwrap();
        if acted {
            stream.send(vec![9]).unwrap();
        }
        let failure = stream.receive().unwrap_err();
        assert_eq!(
            (failure.status, failure.acted),
            (Status::INVALID_ARGUMENT, acted),
            "{method}: {failure}"
        );
    }
    let call = client.call("golden.shop.Shop", 1, vec![9], &options);
    let failure = call.unwrap_err();
    assert_eq!(
        (failure.status, failure.acted),
        (Status::INVALID_ARGUMENT, false)
    );
}
