//! hyper over a unix socket: HTTP/1.1 with nothing around it.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{handshake, SendRequest};
use hyper::header::HOST;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;

use super::{connect_unix, listen_unix};
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::plan::{Kind, Payload, Plan, Record};
use crate::Flaw;

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let listener = listen_unix(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            let server = hyper::server::conn::http1::Builder::new();
            let _ = server
                .serve_connection(TokioIo::new(stream), service_fn(echo))
                .await;
        });
    }
}

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let Ok(body) = request.into_body().collect().await else {
        let mut refusal = Response::default();
        *refusal.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(refusal);
    };
    Ok(Response::new(Full::new(body.to_bytes())))
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    if plan.kind != Kind::Call {
        return Err(super::no_such_kind(plan));
    }
    calls::run(plan, || connect(address)).await
}

async fn connect(address: &Address) -> Result<Calls, Flaw> {
    let stream = TokioIo::new(connect_unix(address).await?);
    let (sender, connection) = handshake(stream).await?;
    tokio::spawn(connection);
    Ok(Calls(sender))
}

struct Calls(SendRequest<Full<Bytes>>);

impl Caller for Calls {
    fn another(&self) -> Option<Self> {
        None
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        let request = Request::builder()
            .method(Method::POST)
            .uri("/echo")
            .header(HOST, "localhost")
            .body(Full::new(payload.bytes.clone()))?;
        self.0.ready().await?;
        let reply = self.0.send_request(request).await?;
        if reply.status() != StatusCode::OK {
            return Err(format!("the server answers {}", reply.status()).into());
        }
        payload.look(&reply.into_body().collect().await?.to_bytes())
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}
