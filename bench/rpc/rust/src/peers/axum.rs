//! reqwest and axum over TCP: HTTP/1.1 as most programs have it.

use axum::extract::DefaultBodyLimit;
use axum::routing::post;
use axum::serve::ListenerExt as _;
use axum::Router;
use bytes::Bytes;
use reqwest::{Client, Url};
use tokio::task::JoinHandle;

use super::listen_tcp;
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::plan::{Kind, Payload, Plan, Record};
use crate::Flaw;

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let listener = listen_tcp(address).await?;
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let routes = Router::new()
        .route("/echo", post(|body: Bytes| async { body }))
        .layer(DefaultBodyLimit::disable());
    Ok(axum::serve(listener, routes).await?)
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    if plan.kind != Kind::Call {
        return Err(super::no_such_kind(plan));
    }
    let url: Url = format!("http://{}/echo", address.port()?).parse()?;
    calls::run(plan, || async {
        // A client for each connection: it has a pool of its own, and keeps one alive.
        let client = Client::builder().http1_only().tcp_nodelay(true).build()?;
        let url = url.clone();
        Ok(Calls { client, url })
    })
    .await
}

struct Calls {
    client: Client,
    url: Url,
}

impl Caller for Calls {
    fn another(&self) -> Option<Self> {
        None
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        let request = self.client.post(self.url.clone());
        let reply = request.body(payload.bytes.clone()).send().await?;
        payload.look(&reply.error_for_status()?.bytes().await?)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}
