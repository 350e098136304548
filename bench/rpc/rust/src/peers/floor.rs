//! The floors: bytes there and back over a unix socket, without any protocol.

use std::io::{Read as _, Write as _};
use std::os::unix::net::{UnixListener, UnixStream};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::task::JoinHandle;

use super::{connect_unix, listen_unix, ready};
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::plan::{Kind, Payload, Plan, Record};
use crate::window::{self, Receiver, Sender};
use crate::Flaw;

/// The bytes that are read at once.
const READ_BYTES: usize = 128 << 10;

pub fn serve_blocking(address: &Address) -> Result<(), Flaw> {
    let listener = UnixListener::bind(address.path()?)?;
    ready(address);
    for stream in listener.incoming() {
        let mut stream = stream?;
        std::thread::spawn(move || {
            let mut buffer = vec![0; READ_BYTES];
            while let Ok(n @ 1..) = stream.read(&mut buffer) {
                if stream.write_all(&buffer[..n]).is_err() {
                    return;
                }
            }
        });
    }
    Ok(())
}

pub fn call_blocking(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    if plan.kind != Kind::Call {
        return Err(super::no_such_kind(plan));
    }
    let mut stream = UnixStream::connect(address.path()?)?;
    let mut reply = vec![0; plan.payload.bytes.len()];
    calls::run_blocking(plan, |payload| {
        stream.write_all(&payload.bytes)?;
        stream.read_exact(&mut reply)?;
        payload.look(&reply)
    })
}

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let listener = listen_unix(address).await?;
    loop {
        let (mut stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            let mut buffer = vec![0; READ_BYTES];
            while let Ok(n @ 1..) = stream.read(&mut buffer).await {
                if stream.write_all(&buffer[..n]).await.is_err() {
                    return;
                }
            }
        });
    }
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    if plan.kind != Kind::Call {
        return Err(super::no_such_kind(plan));
    }
    let stream = || connect_unix(address);
    if plan.in_flight > 1 {
        let (input, out) = stream().await?.into_split();
        let sender = Pieces {
            out,
            queue: Vec::new(),
        };
        let receiver = Replies {
            input,
            buffer: vec![0; READ_BYTES],
            is_there: 0,
        };
        return window::run(plan, sender, receiver).await;
    }
    calls::run(plan, || async {
        let reply = vec![0; plan.payload.bytes.len()];
        let stream = stream().await?;
        Ok(Raw { stream, reply })
    })
    .await
}

struct Raw {
    stream: tokio::net::UnixStream,
    reply: Vec<u8>,
}

impl Caller for Raw {
    fn another(&self) -> Option<Self> {
        None
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        self.stream.write_all(&payload.bytes).await?;
        self.stream.read_exact(&mut self.reply).await?;
        payload.look(&self.reply)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}

/// The output, in one piece where many are sent at once.
struct Pieces {
    out: OwnedWriteHalf,
    queue: Vec<u8>,
}

impl Sender for Pieces {
    async fn feed(&mut self, payload: &Payload) -> Result<(), Flaw> {
        self.queue.extend_from_slice(&payload.bytes);
        if self.queue.len() >= READ_BYTES {
            self.flush().await?;
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), Flaw> {
        self.out.write_all(&self.queue).await?;
        self.queue.clear();
        Ok(())
    }
}

/// The input, perhaps with a part of the next reply.
struct Replies {
    input: OwnedReadHalf,
    buffer: Vec<u8>,
    is_there: usize,
}

impl Receiver for Replies {
    async fn receive(&mut self, payload: &Payload) -> Result<u64, Flaw> {
        let n = payload.bytes.len();
        while self.is_there < n {
            match self.input.read(&mut self.buffer[self.is_there..]).await? {
                0 => return Err("the server is gone".into()),
                read => self.is_there += read,
            }
        }
        let whole = self.is_there / n * n;
        for reply in self.buffer[..whole].chunks(n) {
            payload.look(reply)?;
        }
        self.buffer.copy_within(whole..self.is_there, 0);
        self.is_there -= whole;
        Ok((whole / n) as u64)
    }
}
