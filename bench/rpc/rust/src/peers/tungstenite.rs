//! tokio-tungstenite: WebSocket messages. Replies have no names: they come in the order of their
//! requests.

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinHandle;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async_with_config, client_async_with_config, WebSocketStream};

use super::{connect_tcp, connect_unix, listen_tcp, listen_unix};
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::flows::{self, Flow};
use crate::plan::{Kind, Payload, Plan, Record, Until};
use crate::window::{self, Receiver, Sender};
use crate::Flaw;

/// A text that asks what comes not to be given back, but to be counted.
const COUNT: &str = "count";
/// A text that asks for the count.
const COUNTED: &str = "counted";

/// Any of Tokio's streams.
trait Socket: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Socket for T {}

/// Messages are gathered up to this length where more follow.
fn config() -> WebSocketConfig {
    WebSocketConfig::default().write_buffer_size(64 << 10)
}

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    match address {
        Address::Unix(_) | Address::Shm { .. } => {
            let listener = listen_unix(address).await?;
            loop {
                tokio::spawn(echo(listener.accept().await?.0));
            }
        }
        Address::Tcp(_) => {
            let listener = listen_tcp(address).await?;
            loop {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                tokio::spawn(echo(stream));
            }
        }
    }
}

/// Gives messages back, or counts them; flushes when there is no further one at once.
async fn echo(stream: impl Socket) -> Result<(), Flaw> {
    let mut socket = accept_async_with_config(stream, Some(config())).await?;
    let mut count = None;
    loop {
        let next = if let Some(next) = socket.next().now_or_never() {
            next
        } else {
            socket.flush().await?;
            socket.next().await
        };
        let Some(message) = next.transpose()? else {
            return Ok(());
        };
        match (message, &mut count) {
            (Message::Binary(_), Some(count)) => *count += 1,
            (Message::Binary(data), None) => socket.feed(Message::Binary(data)).await?,
            (Message::Text(text), _) if text == COUNT => count = Some(0_u64),
            (Message::Text(text), _) if text == COUNTED => {
                let counted = count.take().unwrap_or_default().to_string();
                socket.feed(Message::text(counted)).await?;
            }
            _ => {}
        }
    }
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    match address {
        Address::Unix(_) | Address::Shm { .. } => run(plan, || connect_unix(address)).await,
        Address::Tcp(_) => run(plan, || connect_tcp(address)).await,
    }
}

async fn run<S, F>(plan: &Plan, connect: impl Fn() -> F) -> Result<Record, Flaw>
where
    S: Socket,
    F: std::future::Future<Output = Result<S, Flaw>>,
{
    let connect = || async {
        let stream = connect().await?;
        let (socket, _) =
            client_async_with_config("ws://localhost/", stream, Some(config())).await?;
        Ok::<_, Flaw>(socket)
    };
    match (plan.kind, plan.in_flight) {
        (Kind::Call, 1) => calls::run(plan, || async { Ok(Calls(connect().await?)) }).await,
        (Kind::Call, _) => {
            let (sink, stream) = connect().await?.split();
            window::run(plan, Feeding(sink), Replies(stream)).await
        }
        (Kind::Up, _) => flows::run(plan, Up(connect().await?)).await,
        // As many messages as may be on their way in a stream of the others.
        (Kind::Both, _) => {
            let (sink, stream) = connect().await?.split();
            let unbounded = Plan {
                in_flight: 1 << 16,
                ..plan.clone()
            };
            let mut record = window::run(&unbounded, Feeding(sink), Replies(stream)).await?;
            record.messages *= 2;
            record.latency = None;
            Ok(record)
        }
        (Kind::Event, _) => Err(super::no_such_kind(plan)),
    }
}

fn binary(bytes: &Bytes) -> Message {
    Message::Binary(bytes.clone())
}

fn look(payload: &Payload, message: Message) -> Result<(), Flaw> {
    match message {
        Message::Binary(data) => payload.look(&data),
        other => Err(format!("the server says {other:?}").into()),
    }
}

struct Calls<S>(WebSocketStream<S>);

impl<S: Socket> Caller for Calls<S> {
    fn another(&self) -> Option<Self> {
        None
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        self.0.send(binary(&payload.bytes)).await?;
        let reply = self.0.next().await.ok_or("the server is gone")??;
        look(payload, reply)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}

struct Feeding<S>(SplitSink<WebSocketStream<S>, Message>);

impl<S: Socket> Sender for Feeding<S> {
    async fn feed(&mut self, payload: &Payload) -> Result<(), Flaw> {
        Ok(self.0.feed(binary(&payload.bytes)).await?)
    }

    async fn flush(&mut self) -> Result<(), Flaw> {
        Ok(self.0.flush().await?)
    }
}

struct Replies<S>(SplitStream<WebSocketStream<S>>);

impl<S: Socket> Receiver for Replies<S> {
    async fn receive(&mut self, payload: &Payload) -> Result<u64, Flaw> {
        let mut next = Some(self.0.next().await);
        let mut replies = 0;
        while let Some(reply) = next {
            look(payload, reply.ok_or("the server is gone")??)?;
            replies += 1;
            next = (replies < 256)
                .then(|| self.0.next().now_or_never())
                .flatten();
        }
        Ok(replies)
    }
}

struct Up<S>(WebSocketStream<S>);

impl<S: Socket> Flow for Up<S> {
    async fn flow(&mut self, payload: &Payload, mut until: Until) -> Result<u64, Flaw> {
        self.0.feed(Message::text(COUNT)).await?;
        let mut sent = 0;
        while until.more() {
            self.0.feed(binary(&payload.bytes)).await?;
            sent += 1;
        }
        self.0.send(Message::text(COUNTED)).await?;
        let count = self.0.next().await.ok_or("the server is gone")??;
        flows::compare(sent, count.to_text()?.parse()?)?;
        Ok(sent)
    }
}
