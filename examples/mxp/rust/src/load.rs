//! Callers that call until the program is told to end, and count.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::{Client, Failure, Options};

use crate::{ending, method, SERVICE};

/// Calls, by how they ended.
#[derive(Default)]
struct Tally {
    made: u64,
    answered: u64,
    /// Nobody has acted on them.
    refused: u64,
    lost: u64,
    names: BTreeMap<String, u64>,
    took: Vec<Duration>,
}

impl Tally {
    fn ended(&mut self, result: Result<(), Failure>, took: Duration) {
        match result {
            Ok(()) => {
                self.answered += 1;
                self.took.push(took);
            }
            Err(failure) => {
                if failure.acted {
                    self.lost += 1;
                } else {
                    self.refused += 1;
                }
                *self.names.entry(failure.name.clone()).or_default() += 1;
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.made += other.made;
        self.answered += other.answered;
        self.refused += other.refused;
        self.lost += other.lost;
        self.took.extend(other.took);
        for (name, n) in other.names {
            *self.names.entry(name).or_default() += n;
        }
        self.took.sort_unstable();
    }

    /// The time of all but the slowest, in microseconds.
    fn at(&self, permille: usize) -> u128 {
        let last = self.took.len().saturating_sub(1);
        let at = (self.took.len() * permille / 1000).min(last);
        self.took.get(at).map_or(0, Duration::as_micros)
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "calls={} answered={}", self.made, self.answered)?;
        write!(f, " refused={} lost={}", self.refused, self.lost)?;
        let (p50, p99, max) = (self.at(500), self.at(990), self.at(1000));
        write!(f, " p50_us={p50} p99_us={p99} max_us={max} failures=")?;
        if self.names.is_empty() {
            return f.write_str("-");
        }
        for (i, (name, n)) in self.names.iter().enumerate() {
            write!(f, "{}{name}:{n}", if i > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

/// Calls echo from several callers at once until the program is told to end, and
/// prints what became of the calls. With chunks, a stream of them goes beside the
/// calls, and each caller calls once in a millisecond.
pub async fn load(
    address: &str,
    callers: &str,
    bytes: &str,
    chunk: &str,
) -> Result<(), Box<dyn Error>> {
    let (callers, bytes): (usize, usize) = (callers.parse()?, bytes.parse()?);
    let chunk: usize = chunk.parse()?;
    let client = Client::connect(address)?;
    let streamed = Arc::new(AtomicUsize::new(0));
    let streaming = (chunk > 0).then(|| {
        let (client, streamed) = (client.clone(), Arc::clone(&streamed));
        tokio::spawn(async move { echoes(&client, chunk, &streamed).await })
    });
    let stopped = Arc::new(AtomicBool::new(false));
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..callers {
        let (client, stopped) = (client.clone(), Arc::clone(&stopped));
        running.spawn(async move {
            let mut tally = Tally::default();
            let options = Options::new().with_deadline(Duration::from_secs(10));
            while !stopped.load(Ordering::Relaxed) {
                tally.made += 1;
                let began = Instant::now();
                let value = vec![0; bytes];
                let called = client.call(SERVICE, method::ECHO, value, &options).await;
                tally.ended(called.map(drop), began.elapsed());
                if chunk > 0 {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                }
            }
            tally
        });
    }
    ending::asked()?.await?;
    stopped.store(true, Ordering::Relaxed);
    let mut all = Tally::default();
    while let Some(one) = running.join_next().await {
        all.add(one?);
    }
    println!("{all}");
    if let Some(streaming) = streaming {
        streaming.abort();
        println!("streamed={}", streamed.load(Ordering::Relaxed));
    }
    Ok(())
}

/// Sends chunks, and counts the bytes that come back.
async fn echoes(client: &Client, chunk: usize, bytes: &AtomicUsize) -> Result<(), Failure> {
    let options = Options::new();
    let stream = client.open(SERVICE, method::UPPER, vec![], &options);
    let stream = stream.await?;
    let (sender, mut receiver) = (stream.sender, stream.receiver);
    let send = async {
        let mut sent = Ok(());
        while sent.is_ok() {
            sent = sender.send(vec![0; chunk]).await;
        }
        sent
    };
    let receive = async {
        while let Some(value) = receiver.receive().await? {
            bytes.fetch_add(value.len(), Ordering::Relaxed);
        }
        Ok(())
    };
    tokio::try_join!(send, receive).map(|((), ())| ())
}
