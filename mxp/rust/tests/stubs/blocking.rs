//! The client for threads.

use std::sync::atomic::Ordering;

use mxp::net::typed::BlockingCaller;
use mxp::net::{blocking, Failure, Options};
use mxp::session::{Status, TypeInfo};

use crate::golden::golden_goods::Nothing;
use crate::golden::golden_shop::Notice;
use crate::golden::golden_shop_service::{ShopBlockingClient, ShopClient};
use crate::shop::{item, pair, stock};

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
        let found = types.iter_mut().find(|one| one.name.ends_with("Query"));
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
