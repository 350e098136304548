//! MXP by the stubs that SDP generates: a server that is a trait, a client that is typed, values that are owned.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Instant;

use mxp::net::typed::{Context, Receiver, Sender};
use mxp::net::{Failure, Server};
use tokio::task::JoinHandle;

use super::mxp::{ready_at, url, PATIENCE};
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::flows::{self, Flow};
use crate::generated::bench::{Count, Data, Nothing};
use crate::generated::bench_service::{echo_service, Echo, EchoClient};
use crate::plan::{Kind, Payload, Plan, Record, Until};
use crate::Flaw;

#[derive(Default)]
struct Serving {
    told: AtomicU64,
}

impl Echo for Serving {
    async fn echo(&self, request: Data, _: Context) -> Result<Data, Failure> {
        Ok(request)
    }

    async fn up(&self, mut requests: Receiver<Data>, _: Context) -> Result<Count, Failure> {
        let mut messages = 0;
        while requests.receive().await?.is_some() {
            messages += 1;
        }
        Ok(Count { messages })
    }

    async fn both(
        &self,
        mut requests: Receiver<Data>,
        responses: Sender<Data>,
        _: Context,
    ) -> Result<(), Failure> {
        while let Some(data) = requests.receive().await? {
            responses.send(&data).await?;
        }
        Ok(())
    }

    async fn tell(&self, _: Data, _: Context) -> Result<(), Failure> {
        self.told.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn told(&self, _: Nothing, _: Context) -> Result<Count, Failure> {
        let messages = self.told.load(Ordering::Relaxed);
        Ok(Count { messages })
    }
}

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let service = echo_service(Arc::new(Serving::default()));
    let listening = Server::new().service(service).listen(&url(address)).await?;
    ready_at(listening.address(), address)?;
    std::future::pending().await
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    let data = Data {
        data: plan.payload.bytes.to_vec(),
    };
    let connect = || async {
        let client = EchoClient::connect(&url(address))?;
        let data = data.clone();
        Ok::<_, Flaw>(Asking { client, data })
    };
    match plan.kind {
        Kind::Call => calls::run(plan, connect).await,
        Kind::Event => flows::run(plan, Events(connect().await?)).await,
        Kind::Up => flows::run(plan, Up(connect().await?)).await,
        Kind::Both => flows::run(plan, Both(connect().await?)).await,
    }
}

#[derive(Clone)]
struct Asking {
    client: EchoClient,
    data: Data,
}

impl Caller for Asking {
    fn another(&self) -> Option<Self> {
        Some(self.clone())
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        payload.look(&self.client.echo(&self.data).await?.data)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}

struct Events(Asking);

impl Flow for Events {
    async fn flow(&mut self, _: &Payload, mut until: Until) -> Result<u64, Flaw> {
        let Asking { client, data } = &self.0;
        let before = client.told(&Nothing {}).await?.messages;
        let mut sent = 0;
        while until.more() {
            client.tell(data).await?;
            sent += 1;
        }
        let begun = Instant::now();
        loop {
            let told = client.told(&Nothing {}).await?.messages - before;
            if told >= sent || begun.elapsed() > PATIENCE {
                flows::compare(sent, told)?;
                return Ok(sent);
            }
        }
    }
}

struct Up(Asking);

impl Flow for Up {
    async fn flow(&mut self, _: &Payload, mut until: Until) -> Result<u64, Flaw> {
        let stream = self.0.client.up().await?;
        let mut sent = 0;
        while until.more() {
            stream.send(&self.0.data).await?;
            sent += 1;
        }
        flows::compare(sent, stream.finish().await?.messages)?;
        Ok(sent)
    }
}

struct Both(Asking);

impl Flow for Both {
    async fn flow(&mut self, payload: &Payload, mut until: Until) -> Result<u64, Flaw> {
        let stream = self.0.client.both().await?;
        let (sender, mut receiver) = (stream.sender, stream.receiver);
        let data = self.0.data.clone();
        let work = tokio::spawn(async move {
            let mut sent = 0;
            while until.more() {
                sender.send(&data).await?;
                sent += 1;
            }
            sender.finish()?;
            Ok::<u64, Flaw>(sent)
        });
        let mut came = 0;
        while let Some(answer) = receiver.receive().await? {
            payload.look(&answer.data)?;
            came += 1;
        }
        let all = work.await??;
        flows::compare(all, came)?;
        Ok(all + came)
    }
}
