//! The shop that is asked.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use mxp::net::typed::{reply_with, Context, Receiver, Sender};
use mxp::net::{Failure, Options, Server, ServerHandle};
use mxp::session::Status;

use crate::golden::golden_goods::{Item, Nothing};
use crate::golden::golden_shop::{Notice, Query, Stock};
use crate::golden::golden_shop_service::{shop_service, Shop, ShopClient};

/// Counts what it is told.
#[derive(Default)]
pub(crate) struct Corner {
    pub(crate) notices: AtomicU64,
    /// Streams whose handlers have ended.
    pub(crate) ended: AtomicU64,
}

/// Counts a handler that has ended, in any way.
struct Ends<'a>(&'a AtomicU64);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

pub(crate) fn item(id: u64) -> Item {
    Item::new().with_id(id).with_name(format!("item {id}"))
}

pub(crate) fn stock(id: u64, count: u32) -> Stock {
    Stock::new().with_item(item(id)).with_count(count)
}

impl Shop for Corner {
    async fn find(&self, request: Item, context: Context) -> Result<Stock, Failure> {
        if context.get("closed").is_some() {
            let failure = Failure::new(Status::UNAVAILABLE, "shop_closed", "come tomorrow");
            return Err(failure.with_details(vec![1, 2]));
        }
        if let Some(value) = context.get("mark") {
            reply_with("mark", value);
            reply_with(
                "user",
                context.peer().process.map_or(0, |p| p.user).to_string(),
            );
            let passed = Options::new().following(&context);
            let trace = passed.trace.map_or(0, |trace| trace.parent);
            reply_with("trace", trace.to_string());
            reply_with(
                "left",
                passed
                    .deadline
                    .map_or(0, |duration| duration.as_secs())
                    .to_string(),
            );
        }
        Ok(Stock::new().with_item(request).with_count(7))
    }

    async fn sell(&self, request: Stock, _: Context) -> Result<Nothing, Failure> {
        // Counts from 1000 on break the handler.
        assert!(request.count < 1000, "a handler is broken");
        Ok(Nothing {})
    }

    async fn list(
        &self,
        request: Query,
        responses: Sender<Stock>,
        _: Context,
    ) -> Result<(), Failure> {
        let _ends = Ends(&self.ended);
        for id in request.first..=request.last {
            responses.send(&stock(id, 1)).await?;
        }
        Ok(())
    }

    async fn deliver(&self, mut requests: Receiver<Stock>, _: Context) -> Result<Stock, Failure> {
        let _ends = Ends(&self.ended);
        let mut all = Stock::new();
        while let Some(stock) = requests.receive().await? {
            all.count += stock.count;
            if stock.count == 0 {
                return Err(Failure::new(Status::INVALID_ARGUMENT, "stock_empty", ""));
            }
        }
        Ok(all)
    }

    async fn ask_url(
        &self,
        mut requests: Receiver<Query>,
        responses: Sender<Item>,
        _: Context,
    ) -> Result<(), Failure> {
        let _ends = Ends(&self.ended);
        while let Some(query) = requests.receive().await? {
            let mut item = item(query.first);
            if query.last == 0 {
                // Longer than the schema lets it be.
                item.name = "x".repeat(17);
            }
            responses.send(&item).await?;
        }
        Ok(())
    }

    async fn noticed(&self, request: Notice, _: Context) -> Result<(), Failure> {
        // In order, even if one waits.
        tokio::task::yield_now().await;
        match request {
            Notice::Sold(item) => {
                let before = self.notices.swap(item.id, Ordering::SeqCst);
                assert_eq!(before + 1, item.id);
                Ok(())
            }
            _ => Err(Failure::new(Status::ABORTED, "notice_odd", "")),
        }
    }

    async fn find_old(&self, request: Item, context: Context) -> Result<Stock, Failure> {
        self.find(request, context).await
    }

    async fn clean_up(&self, _: Nothing, _: Context) -> Result<(), Failure> {
        Ok(())
    }
}

/// An address of its own for a test: of a unix socket, or of a free port where the system has none.
pub(crate) fn address() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    if cfg!(not(unix)) {
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        return format!("mxp+tcp://{}", port.local_addr().unwrap());
    }
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("mxp-stubs-{}-{n}", std::process::id()));
    // A process of this number may have left one.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    format!("mxp+unix://{}/s", folder.display())
}

/// A shop, and its client.
pub(crate) async fn pair() -> (ServerHandle, ShopClient, Arc<Corner>) {
    let corner = Arc::new(Corner::default());
    let server = Server::new().service(shop_service(Arc::clone(&corner)));
    let listening = server.listen(&address()).await.unwrap();
    let client = ShopClient::connect(&listening.address().to_string()).unwrap();
    (listening, client, corner)
}

/// Waits until something is so, but not for ever.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    for _ in 0..1000 {
        if is_so() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("it never came to this: {what}");
}
