//! tonic: gRPC, with prost whose bytes are `bytes::Bytes`.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::task::Poll;

use futures_util::{stream, Stream};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::{ReceiverStream, UnixListenerStream};
use tonic::transport::server::{Router, TcpIncoming};
use tonic::transport::{Channel, Endpoint, Server, Uri};
use tonic::{Request, Response, Status, Streaming};

use super::{connect_unix, listen_tcp, listen_unix};
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::flows::{self, Flow};
use crate::generated::grpc::echo_client::EchoClient;
use crate::generated::grpc::echo_server::{Echo, EchoServer};
use crate::generated::grpc::{Count, Data};
use crate::plan::{Kind, Payload, Plan, Record, Until};
use crate::Flaw;

/// HTTP/2's windows: its 64 KiB are less than one of the largest messages. Each stream has room for some, a connection for
/// some streams.
const STREAM_BYTES: u32 = 4 << 20;
const CONNECTION_BYTES: u32 = 64 << 20;

/// Where a stream's messages are from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// They are there whenever the connection asks for one: the least that it can cost.
    AsItIs,
    /// A task sends them, as one that makes them does, through a channel.
    Channel,
}

/// How many messages wait in a channel.
const WAITING: usize = 256;

pub async fn serve(address: &Address, way: Way) -> Result<(), Flaw> {
    let router = router(way);
    match address {
        Address::Unix(_) | Address::Shm { .. } => {
            let incoming = UnixListenerStream::new(listen_unix(address).await?);
            router.serve_with_incoming(incoming).await?;
        }
        Address::Tcp(_) => {
            let listener: TcpListener = listen_tcp(address).await?;
            let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
            router.serve_with_incoming(incoming).await?;
        }
    }
    Ok(())
}

fn router(way: Way) -> Router {
    Server::builder()
        .initial_stream_window_size(STREAM_BYTES)
        .initial_connection_window_size(CONNECTION_BYTES)
        .max_concurrent_streams(1024)
        .add_service(EchoServer::new(Serving { way }))
}

/// Gives streams back, as they are or through a channel.
struct Serving {
    way: Way,
}

type Answers = Pin<Box<dyn Stream<Item = Result<Data, Status>> + Send>>;

#[tonic::async_trait]
impl Echo for Serving {
    async fn call(&self, request: Request<Data>) -> Result<Response<Data>, Status> {
        Ok(Response::new(request.into_inner()))
    }

    async fn up(&self, request: Request<Streaming<Data>>) -> Result<Response<Count>, Status> {
        let mut stream = request.into_inner();
        let mut messages = 0;
        while stream.message().await?.is_some() {
            messages += 1;
        }
        Ok(Response::new(Count { messages }))
    }

    type BothStream = Answers;

    async fn both(&self, request: Request<Streaming<Data>>) -> Result<Response<Answers>, Status> {
        let mut requests = request.into_inner();
        if self.way == Way::AsItIs {
            return Ok(Response::new(Box::pin(requests)));
        }
        let (sender, answers) = mpsc::channel(WAITING);
        tokio::spawn(async move {
            while let Some(answer) = requests.message().await.transpose() {
                // The client is gone if this fails.
                if sender.send(answer).await.is_err() {
                    return;
                }
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(answers))))
    }
}

pub async fn call(address: &Address, plan: &Plan, way: Way) -> Result<Record, Flaw> {
    let connect = || connect(address);
    match plan.kind {
        Kind::Call => calls::run(plan, || async { Ok(Calls(connect().await?)) }).await,
        Kind::Up => flows::run(plan, Up(connect().await?, way)).await,
        Kind::Both => flows::run(plan, Both(connect().await?, way)).await,
        Kind::Event => Err(super::no_such_kind(plan)),
    }
}

async fn connect(address: &Address) -> Result<EchoClient<Channel>, Flaw> {
    let uri = match address {
        Address::Tcp(at) => format!("http://{at}"),
        Address::Unix(_) | Address::Shm { .. } => "http://localhost".into(),
    };
    let endpoint = Endpoint::from_shared(uri)?
        .tcp_nodelay(true)
        .buffer_size(1024)
        .initial_stream_window_size(STREAM_BYTES)
        .initial_connection_window_size(CONNECTION_BYTES);
    let channel = match address {
        Address::Tcp(_) => endpoint.connect().await?,
        Address::Unix(_) | Address::Shm { .. } => {
            let address = address.clone();
            let connector = tower::service_fn(move |_: Uri| {
                let address = address.clone();
                async move { connect_unix(&address).await.map(TokioIo::new) }
            });
            endpoint.connect_with_connector(connector).await?
        }
    };
    Ok(EchoClient::new(channel))
}

fn data(payload: &Payload) -> Data {
    Data {
        data: payload.bytes.clone(),
    }
}

struct Calls(EchoClient<Channel>);

impl Caller for Calls {
    fn another(&self) -> Option<Self> {
        Some(Self(self.0.clone()))
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        let reply = self.0.call(data(payload)).await?;
        payload.look(&reply.into_inner().data)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}

type Messages = Pin<Box<dyn Stream<Item = Data> + Send>>;

/// Messages until it is time, and how many there were.
fn messages(payload: &Payload, mut until: Until, way: Way) -> (Messages, Arc<AtomicU64>) {
    let given = payload.clone();
    let count = Arc::new(AtomicU64::new(0));
    let sent = Arc::clone(&count);
    let mut next = move || {
        let message = until.more().then(|| data(&given));
        sent.fetch_add(message.is_some().into(), Ordering::Relaxed);
        message
    };
    if way == Way::AsItIs {
        return (
            Box::pin(stream::poll_fn(move |_| Poll::Ready(next()))),
            count,
        );
    }
    let (sender, queue) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        while let Some(message) = next() {
            if sender.send(message).await.is_err() {
                return;
            }
        }
    });
    (Box::pin(ReceiverStream::new(queue)), count)
}

struct Up(EchoClient<Channel>, Way);

impl Flow for Up {
    async fn flow(&mut self, payload: &Payload, until: Until) -> Result<u64, Flaw> {
        let (messages, sent) = messages(payload, until, self.1);
        let reply = self.0.up(messages).await?.into_inner();
        flows::compare(sent.load(Ordering::Relaxed), reply.messages)?;
        Ok(reply.messages)
    }
}

struct Both(EchoClient<Channel>, Way);

impl Flow for Both {
    async fn flow(&mut self, payload: &Payload, until: Until) -> Result<u64, Flaw> {
        let (messages, sent) = messages(payload, until, self.1);
        let mut answers = self.0.both(messages).await?.into_inner();
        let mut received = 0;
        while let Some(answer) = answers.message().await? {
            payload.look(&answer.data)?;
            received += 1;
        }
        flows::compare(sent.load(Ordering::Relaxed), received)?;
        Ok(2 * received)
    }
}
