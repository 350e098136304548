//! MXP: the client and the server on Tokio, with methods by number. Values are SDP's, which are read where they lie.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::transport::ShmOptions;
use mxp::net::{
    Buffer, Client, ClientOptions, Failure, Options, Reply, Server, Service, Stream, WhenFull,
};
use mxp::session::{Status, SHM_SPIN_US};
use tokio::task::JoinHandle;

use super::ready;
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::flows::{self, Flow};
use crate::generated::bench::{Count, DataRef};
use crate::plan::{Kind, Payload, Plan, Record, Until};
use crate::Flaw;

pub const SERVICE: &str = "bench.Echo";
/// A call.
pub const ECHO: u16 = 1;
/// A stream to the server.
pub const UP: u16 = 2;
/// A stream of both directions.
pub const BOTH: u16 = 3;
/// An event.
pub const TELL: u16 = 4;
/// A call: how many events there were.
pub const TOLD: u16 = 5;

/// The time that events may take until they are counted.
pub const PATIENCE: Duration = Duration::from_secs(5);

/// As MXP writes it.
pub fn url(address: &Address) -> String {
    match address {
        Address::Unix(path) => format!("mxp+unix://{}", path.display()),
        Address::Tcp(at) => format!("mxp+tcp://{at}"),
        Address::Shm { path, .. } => format!("mxp+shm://{}", path.display()),
    }
}

/// The options of shared memory: where the address spins, the options of a process that may be on several cores.
pub fn shm(address: &Address) -> ShmOptions {
    let options = ShmOptions::new();
    match address {
        Address::Shm { spins: true, .. } => options.spin(Duration::from_micros(SHM_SPIN_US)),
        _ => options,
    }
}

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let server = Server::new().shm(shm(address)).service(echo());
    let listening = server.listen(&url(address)).await?;
    ready_at(listening.address(), address)?;
    std::future::pending().await
}

/// Says where a server listens.
pub fn ready_at(listens: &mxp::net::Address, address: &Address) -> Result<(), Flaw> {
    match listens {
        mxp::net::Address::Tcp(at) => ready(&Address::Tcp(at.parse()?)),
        _ => ready(address),
    }
    Ok(())
}

fn echo() -> Service {
    let told = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&told);
    Service::new(SERVICE)
        .call(
            ECHO,
            |asked| async move { Ok(Reply::new(again(&asked.value)?)) },
        )
        .stream(UP, |_, stream| up(stream))
        .stream(BOTH, |_, stream| both(stream))
        .event_ref(TELL, move |value, _| {
            DataRef::decode(value).map_err(|e| refused(&e))?;
            told.fetch_add(1, Ordering::Relaxed);
            Ok(())
        })
        .call(TOLD, move |_| {
            let count = Count {
                messages: counted.load(Ordering::Relaxed),
            };
            async move { Ok(Reply::new(count.encode_to_vec().map_err(|e| refused(&e))?)) }
        })
}

/// Decodes a value, and encodes it again.
pub fn again(value: &[u8]) -> Result<Buffer, Failure> {
    let data = DataRef::decode(value).map_err(|e| refused(&e))?;
    let mut buffer = Buffer::with_capacity(data.encoded_size());
    data.append(&mut buffer).map_err(|e| refused(&e))?;
    Ok(buffer)
}

pub fn refused(error: &sdp::Error) -> Failure {
    Failure::new(Status::INVALID_ARGUMENT, "bench_value", error.to_string())
}

async fn up(mut stream: Stream) -> Result<(), Failure> {
    let mut messages = 0;
    while let Some(chunk) = stream.receive().await? {
        DataRef::decode(&chunk).map_err(|e| refused(&e))?;
        messages += 1;
    }
    let count = Count { messages }
        .encode_to_vec()
        .map_err(|e| refused(&e))?;
    stream.send(count).await
}

async fn both(mut stream: Stream) -> Result<(), Failure> {
    while let Some(chunk) = stream.receive().await? {
        stream.send(again(&chunk)?).await?;
    }
    Ok(())
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    let connect = || async {
        let options = ClientOptions::new().shm(shm(address));
        Ok(options.connect(&url(address))?)
    };
    match plan.kind {
        Kind::Call => calls::run(plan, || async { connect().await.map(Calls::new) }).await,
        Kind::Event => flows::run(plan, Events(connect().await?)).await,
        Kind::Up => flows::run(plan, Up(connect().await?)).await,
        Kind::Both => flows::run(plan, Both(connect().await?)).await,
    }
}

/// A value, encoded.
pub fn encoded(payload: &Payload) -> Result<Buffer, Flaw> {
    let data = DataRef {
        data: &payload.bytes,
    };
    let mut buffer = Buffer::with_capacity(data.encoded_size());
    data.append(&mut buffer)?;
    Ok(buffer)
}

/// Looks at a value that has come back.
pub fn look(payload: &Payload, value: &[u8]) -> Result<(), Flaw> {
    payload.look(DataRef::decode(value)?.data)
}

struct Calls {
    client: Client,
    options: Options,
}

impl Calls {
    fn new(client: Client) -> Self {
        let options = Options::new();
        Self { client, options }
    }
}

impl Caller for Calls {
    fn another(&self) -> Option<Self> {
        Some(Self::new(self.client.clone()))
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        let value = encoded(payload)?;
        let reply = self.client.call(SERVICE, ECHO, value, &self.options);
        look(payload, &reply.await?.value)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}

struct Events(Client);

impl Events {
    async fn told(&self) -> Result<u64, Flaw> {
        let options = Options::new();
        let reply = self.0.call(SERVICE, TOLD, Vec::new(), &options).await?;
        Ok(Count::decode(&reply.value)?.messages)
    }
}

impl Flow for Events {
    async fn flow(&mut self, payload: &Payload, mut until: Until) -> Result<u64, Flaw> {
        let before = self.told().await?;
        let options = Options::new();
        let mut sent = 0;
        while until.more() {
            let value = encoded(payload)?;
            let told = self.0.event(SERVICE, TELL, value, WhenFull::Wait, &options);
            told.await?;
            sent += 1;
        }
        let begun = Instant::now();
        loop {
            let told = self.told().await? - before;
            if told >= sent || begun.elapsed() > PATIENCE {
                flows::compare(sent, told)?;
                return Ok(sent);
            }
        }
    }
}

struct Up(Client);

impl Flow for Up {
    async fn flow(&mut self, payload: &Payload, mut until: Until) -> Result<u64, Flaw> {
        let options = Options::new();
        let mut stream = self.0.open(SERVICE, UP, Vec::new(), &options).await?;
        let mut sent = 0;
        while until.more() {
            stream.send(encoded(payload)?).await?;
            sent += 1;
        }
        stream.finish()?;
        let count = stream
            .receive()
            .await?
            .ok_or("the server has not counted")?;
        flows::compare(sent, Count::decode(&count)?.messages)?;
        Ok(sent)
    }
}

struct Both(Client);

impl Flow for Both {
    async fn flow(&mut self, payload: &Payload, mut until: Until) -> Result<u64, Flaw> {
        let options = Options::new();
        let stream = self.0.open(SERVICE, BOTH, Vec::new(), &options).await?;
        let (sender, mut receiver) = (stream.sender, stream.receiver);
        let given = payload.clone();
        let work = tokio::spawn(async move {
            let mut sent = 0;
            while until.more() {
                sender.send(encoded(&given)?).await?;
                sent += 1;
            }
            sender.finish()?;
            Ok::<u64, Flaw>(sent)
        });
        let mut came = 0;
        while let Some(chunk) = receiver.receive().await? {
            look(payload, &chunk)?;
            came += 1;
        }
        let all = work.await??;
        flows::compare(all, came)?;
        Ok(all + came)
    }
}
