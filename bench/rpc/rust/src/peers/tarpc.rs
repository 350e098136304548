//! tarpc over a unix socket, with bincode.

use futures_util::StreamExt as _;
use serde_bytes::ByteBuf;
use tarpc::serde_transport;
use tarpc::server::{BaseChannel, Channel as _};
use tarpc::tokio_serde::formats::Bincode;
use tarpc::tokio_util::codec::LengthDelimitedCodec;
use tarpc::{client, context};
use tokio::task::JoinHandle;

use super::{connect_unix, listen_unix};
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::plan::{Kind, Payload, Plan, Record};
use crate::Flaw;

#[tarpc::service]
trait Echo {
    async fn call(data: ByteBuf) -> ByteBuf;
}

#[derive(Clone)]
struct Serving;

impl Echo for Serving {
    async fn call(self, _: context::Context, data: ByteBuf) -> ByteBuf {
        data
    }
}

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let listener = listen_unix(address).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let framed = LengthDelimitedCodec::builder().new_framed(stream);
        let transport = serde_transport::new(framed, Bincode::default());
        let channel = BaseChannel::with_defaults(transport);
        tokio::spawn(channel.execute(Serving.serve()).for_each(|answer| async {
            tokio::spawn(answer);
        }));
    }
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    if plan.kind != Kind::Call {
        return Err(super::no_such_kind(plan));
    }
    calls::run(plan, || async {
        let stream = connect_unix(address).await?;
        let framed = LengthDelimitedCodec::builder().new_framed(stream);
        let transport = serde_transport::new(framed, Bincode::default());
        let mut config = client::Config::default();
        config.max_in_flight_requests = 1024;
        config.pending_request_buffer = 1024;
        Ok(Calls(EchoClient::new(config, transport).spawn()))
    })
    .await
}

struct Calls(EchoClient);

impl Caller for Calls {
    fn another(&self) -> Option<Self> {
        Some(Self(self.0.clone()))
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        let data = ByteBuf::from(&payload.bytes[..]);
        payload.look(&self.0.call(context::current(), data).await?)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}
