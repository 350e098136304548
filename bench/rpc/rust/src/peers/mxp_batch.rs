//! MXP for programs with many values at once: they are sent together, by stubs, from where they
//! lie, and taken together, each read where it lies.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::time::Instant;

use mxp::net::{Failure, Reply, Server, Service, Stream};

use super::mxp::{look, ready_at, refused, url, BOTH, PATIENCE, SERVICE, TELL, TOLD, UP};
use crate::address::Address;
use crate::flows::{self, Flow};
use crate::generated::bench::{Count, Data, DataRef, Nothing};
use crate::generated::bench_service::EchoClient;
use crate::plan::{Kind, Payload, Plan, Record, Until};
use crate::Flaw;

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let listening = Server::new().service(echo()).listen(&url(address)).await?;
    ready_at(listening.address(), address)?;
    std::future::pending().await
}

fn echo() -> Service {
    let told = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&told);
    Service::new(SERVICE)
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

async fn up(mut stream: Stream) -> Result<(), Failure> {
    let mut messages = 0;
    while let Some(chunks) = stream.receiver.chunks().await? {
        for chunk in chunks {
            DataRef::decode(chunk).map_err(|e| refused(&e))?;
            messages += 1;
        }
    }
    let count = Count { messages }
        .encode_to_vec()
        .map_err(|e| refused(&e))?;
    stream.send(count).await
}

async fn both(mut stream: Stream) -> Result<(), Failure> {
    let (mut answers, mut lengths) = (Vec::new(), Vec::new());
    while let Some(chunks) = stream.receiver.chunks().await? {
        for chunk in chunks {
            let (data, start) = (DataRef::decode(chunk), answers.len());
            data.and_then(|data| data.append(&mut answers))
                .map_err(|e| refused(&e))?;
            lengths.push(answers.len() - start);
        }
        let values = Slices {
            bytes: &answers,
            lengths: lengths.iter(),
        };
        stream.sender.send_all(values).await?;
        answers.clear();
        lengths.clear();
    }
    Ok(())
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    let client = EchoClient::connect(&url(address))?;
    let data = Data {
        data: plan.payload.bytes.to_vec(),
    };
    match plan.kind {
        Kind::Event => flows::run(plan, Events { client, data }).await,
        Kind::Up => flows::run(plan, Up { client, data }).await,
        Kind::Both => flows::run(plan, Both { client, data }).await,
        Kind::Call => Err(super::no_such_kind(plan)),
    }
}

/// The same value until it is time.
struct Values<'a> {
    data: &'a Data,
    until: Until,
    sent: &'a mut u64,
}

impl<'a> Iterator for Values<'a> {
    type Item = &'a Data;

    fn next(&mut self) -> Option<&'a Data> {
        if !self.until.more() {
            return None;
        }
        *self.sent += 1;
        Some(self.data)
    }
}

/// Values that lie one behind the other.
struct Slices<'a> {
    bytes: &'a [u8],
    lengths: std::slice::Iter<'a, usize>,
}

impl<'a> Iterator for Slices<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let (value, rest) = self.bytes.split_at(*self.lengths.next()?);
        self.bytes = rest;
        Some(value)
    }
}

struct Events {
    client: EchoClient,
    data: Data,
}

impl Flow for Events {
    async fn flow(&mut self, _: &Payload, until: Until) -> Result<u64, Flaw> {
        let Self { client, data } = self;
        let before = client.told(&Nothing {}).await?.messages;
        let mut sent = 0;
        let values = Values {
            data,
            until,
            sent: &mut sent,
        };
        client.tell_all(values).await?;
        let begun = Instant::now();
        loop {
            let told = client.told(&Nothing {}).await?.messages - before;
            if told >= sent || begun.elapsed() > PATIENCE {
                flows::compare(sent, told)?;
                return Ok(told);
            }
        }
    }
}

struct Up {
    client: EchoClient,
    data: Data,
}

impl Flow for Up {
    async fn flow(&mut self, _: &Payload, until: Until) -> Result<u64, Flaw> {
        let stream = self.client.up().await?;
        let mut sent = 0;
        let values = Values {
            data: &self.data,
            until,
            sent: &mut sent,
        };
        stream.send_all(values).await?;
        flows::compare(sent, stream.sent())?;
        flows::compare(sent, stream.finish().await?.messages)?;
        Ok(sent)
    }
}

struct Both {
    client: EchoClient,
    data: Data,
}

impl Flow for Both {
    async fn flow(&mut self, payload: &Payload, until: Until) -> Result<u64, Flaw> {
        let stream = self.client.both().await?;
        let (sender, mut receiver) = (stream.sender, stream.receiver);
        let data = self.data.clone();
        let work = tokio::spawn(async move {
            let (data, mut sent) = (&data, 0);
            let values = Values {
                data,
                until,
                sent: &mut sent,
            };
            sender.send_all(values).await?;
            sender.finish()?;
            Ok::<u64, Flaw>(sent)
        });
        let mut came = 0;
        while let Some(chunks) = receiver.chunks().await? {
            for chunk in chunks {
                look(payload, chunk)?;
                came += 1;
            }
        }
        let all = work.await??;
        flows::compare(all, came)?;
        Ok(all + came)
    }
}
