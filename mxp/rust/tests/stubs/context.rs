//! The context that typed handlers and clients see beside values.

use std::time::Duration;

use mxp::net::typed::reply_with;
use mxp::net::{AnswerMetadata, Options};
use mxp::session::TraceContext;

use crate::golden::golden_shop_service::ShopBlockingClient;
use crate::shop::{item, pair};

const TRACE: TraceContext = TraceContext {
    id: [7; 16],
    parent: 5,
    flags: 1,
};

#[tokio::test]
async fn handlers_and_clients_see_what_travels_beside_values() {
    let (server, shop, _) = pair().await;
    let (one, other) = (AnswerMetadata::new(), AnswerMetadata::new());
    let marked = |mark: &str, metadata| {
        let options = Options::new().with("mark", mark).reading(metadata);
        let options = options.with_deadline(Duration::from_secs(60));
        shop.with(options.with_trace(TRACE))
    };
    let (first, second) = (marked("one", &one), marked("other", &other));
    let (three, four) = (item(3), item(4));
    let (first, second) = tokio::join!(first.find(&three), second.find(&four));
    assert_eq!((first.unwrap().item.id, second.unwrap().item.id), (3, 4));
    assert_eq!(one.get("mark").unwrap(), b"one");
    assert_eq!(other.get("mark").unwrap(), b"other");
    let text = |key| String::from_utf8(one.get(key).unwrap()).unwrap();
    #[cfg(target_os = "linux")]
    {
        let me = std::fs::metadata("/proc/self").unwrap();
        let user = std::os::unix::fs::MetadataExt::uid(&me);
        assert_eq!(text("user"), user.to_string());
    }
    let left: u64 = text("left").parse().unwrap();
    assert!((30..60).contains(&left), "{left}");
    let span: u64 = text("trace").parse().unwrap();
    assert_eq!(span, TRACE.parent);
    assert_eq!(one.all().len(), 4);

    // An answer without any replaces it.
    let plain = shop.with(Options::new().reading(&one));
    plain.find(&item(3)).await.unwrap();
    assert!(one.all().is_empty());
    assert!(!reply_with("nobody", "answers"));

    let address = server.address().to_string();
    let blocked = tokio::task::spawn_blocking(move || {
        let mut shop = ShopBlockingClient::connect(&address).unwrap();
        let metadata = AnswerMetadata::new();
        shop.set_options(Options::new().with("mark", "threads").reading(&metadata));
        shop.find(&item(3)).unwrap();
        metadata.get("mark")
    });
    assert_eq!(blocked.await.unwrap().unwrap(), b"threads");
}
