//! Values of streams, and events, many at once.

use crate::golden::golden_shop::Query;
use crate::shop::{pair, stock};

#[tokio::test]
async fn values_are_sent_and_received_together() {
    let (_server, shop, _) = pair().await;
    let deliver = shop.deliver().await.unwrap();
    deliver
        .send_all((1..=250).map(|n| stock(1, n)))
        .await
        .unwrap();
    let lent: Vec<_> = (251..=500).map(|n| stock(1, n)).collect();
    deliver.send_all(&lent).await.unwrap();
    assert_eq!(deliver.sent(), 500);
    assert_eq!(deliver.finish().await.unwrap().count, 125_250);

    let mut list = shop
        .list(&Query {
            first: 1,
            last: 1000,
        })
        .await
        .unwrap();
    let mut all = Vec::new();
    assert_eq!(list.receive_many(&mut all, 0).await.unwrap(), 0);
    loop {
        let before = all.len();
        let n = list.receive_many(&mut all, 30).await.unwrap();
        assert!(n <= 30 && all.len() == before + n);
        if n == 0 {
            break;
        }
        all.extend(list.receive().await.unwrap());
    }
    assert!(all.into_iter().eq((1..=1000).map(|id| stock(id, 1))));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_future_of_many_is_sent_to_another_thread() {
    let (_server, shop, _) = pair().await;
    let sending = tokio::spawn(async move {
        let deliver = shop.deliver().await.unwrap();
        let lent = [stock(1, 2), stock(1, 3)];
        deliver.send_all(lent.iter()).await.unwrap();
        deliver.finish().await.unwrap().count
    });
    assert_eq!(sending.await.unwrap(), 5);
}
