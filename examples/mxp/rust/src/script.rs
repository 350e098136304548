//! Scripts of clients: what each does is a line of the standard input.

use std::error::Error;
use std::future::Future;
use std::io::{stdin, BufRead as _};
use std::time::Duration;

use mxp::net::{Client, Failure, Options, WhenFull};
use tokio::task::{spawn_blocking, JoinSet};
use tokio::time::{sleep, timeout};

use crate::{method, tls, SERVICE};

/// Runs the lines of the input, all at once. A line is a number, an address, and the actions of one
/// client there, in turn, with ` ; ` between:
///
/// ```text
/// call METHOD VALUE MS          a call whose deadline is MS
/// calls COUNT METHOD VALUE MS   so many at once
/// cancel METHOD VALUE MS        a call that is given up after MS
/// stream MS VALUE...            sends values, and reads to the end
/// read MS COUNT PAUSE_MS        reads COUNT chunks of a stream after a pause, and lets go of it
/// event VALUE MS                an event that is acknowledged
/// post VALUE                    one that is not
/// wait MS
/// ```
///
/// `x*500` is a value of 500 bytes. Each result is a line: the number, and `answered`, `chunk`,
/// `ended`, `acked` or `sent` with the length of a value and its first bytes, or `failed` with a
/// name, whether the server may have acted, and a text; `closed` is the last.
pub async fn scripts() -> Result<(), Box<dyn Error>> {
    let mut all = JoinSet::new();
    while let Some(line) = spawn_blocking(|| stdin().lock().lines().next()).await? {
        all.spawn(run(line?));
    }
    while all.join_next().await.is_some() {}
    Ok(())
}

async fn run(line: String) {
    let mut words = line.splitn(3, ' ');
    let mut word = || words.next().unwrap_or_default().to_owned();
    let (number, address, actions) = (word(), word(), word());
    let client = tls::client(&address).map_err(|error| error.to_string());
    match client {
        Ok(client) => {
            let script = Script {
                number: number.clone(),
                client,
            };
            for action in actions.split(" ; ") {
                let words: Vec<&str> = action.split_whitespace().collect();
                if script.act(&words).await.is_none() {
                    script.say(&format!("failed script refused {action}"));
                }
            }
        }
        Err(error) => println!("{number} failed - refused {error}"),
    }
    println!("{number} closed");
}

/// A client, whose actions are done one after the other.
struct Script {
    number: String,
    client: Client,
}

impl Script {
    fn say(&self, result: &str) {
        println!("{} {result}", self.number);
    }

    fn value(&self, kind: &str, value: &[u8]) {
        let first = String::from_utf8_lossy(&value[..value.len().min(40)]);
        self.say(&format!("{kind} {}:{first}", value.len()));
    }

    fn failed(&self, failure: &Failure) {
        let acted = if failure.acted { "acted" } else { "refused" };
        self.say(&format!("failed {} {acted} {}", failure.name, failure.text));
    }

    /// Says what has come of something without a value.
    async fn done(&self, kind: &str, act: impl Future<Output = Result<(), Failure>>) {
        match act.await {
            Ok(()) => self.say(kind),
            Err(failure) => self.failed(&failure),
        }
    }

    /// Does one thing; `None` where words are missing, or are no numbers.
    async fn act(&self, words: &[&str]) -> Option<()> {
        let word = |at: usize| words.get(at).copied();
        match word(0)? {
            "call" => self.call(&words[1..]).await?,
            "calls" => {
                let count: usize = word(1)?.parse().ok()?;
                let mut all = JoinSet::new();
                for _ in 0..count {
                    let words: Vec<String> = words[2..].iter().map(ToString::to_string).collect();
                    let same = Self {
                        number: self.number.clone(),
                        client: self.client.clone(),
                    };
                    all.spawn(async move {
                        let words: Vec<&str> = words.iter().map(|word| &word[..]).collect();
                        same.call(&words).await
                    });
                }
                while all.join_next().await.is_some() {}
            }
            "cancel" => {
                let call = [word(1)?, word(2)?, "60000"];
                if timeout(milliseconds(word(3)?)?, self.call(&call))
                    .await
                    .is_err()
                {
                    self.say("failed cancelled acted ");
                }
            }
            "stream" => {
                let options = options(word(1)?)?;
                let values: Option<Vec<_>> = words[2..].iter().map(|text| value(text)).collect();
                self.done("ended", self.stream(&options, values?)).await;
            }
            "read" => {
                let (options, count) = (options(word(1)?)?, word(2)?.parse().ok()?);
                let pause = milliseconds(word(3)?)?;
                self.done("ended", self.read(&options, count, pause)).await;
            }
            "event" => {
                let (value, options) = (value(word(1)?)?, options(word(2)?)?);
                let event = self
                    .client
                    .event_acked(SERVICE, method::TICK, value, &options);
                self.done("acked", event).await;
            }
            "post" => {
                let (value, options) = (value(word(1)?)?, Options::new());
                let full = WhenFull::Refuse;
                let event = self
                    .client
                    .event(SERVICE, method::TICK, value, full, &options);
                self.done("sent", event).await;
            }
            "wait" => sleep(milliseconds(word(1)?)?).await,
            _ => return None,
        }
        Some(())
    }

    async fn call(&self, words: &[&str]) -> Option<()> {
        let [method, text, ms] = *words else {
            return None;
        };
        let (value, options) = (value(text)?, options(ms)?);
        let call = self
            .client
            .call(SERVICE, method.parse().ok()?, value, &options);
        match call.await {
            Ok(reply) => self.value("answered", &reply.value),
            Err(failure) => self.failed(&failure),
        }
        Some(())
    }

    async fn stream(&self, options: &Options, values: Vec<Vec<u8>>) -> Result<(), Failure> {
        let opened = self.client.open(SERVICE, method::UPPER, vec![], options);
        let stream = opened.await?;
        let (sender, mut receiver) = (stream.sender, stream.receiver);
        let send = async {
            for value in values {
                sender.send(value).await?;
            }
            sender.finish()
        };
        let read = async {
            while let Some(chunk) = receiver.receive().await? {
                self.value("chunk", &chunk);
            }
            Ok(())
        };
        tokio::try_join!(send, read)?;
        Ok(())
    }

    async fn read(&self, options: &Options, count: usize, pause: Duration) -> Result<(), Failure> {
        let opened = self.client.open(SERVICE, method::UPPER, vec![], options);
        let mut stream = opened.await?;
        sleep(pause).await;
        for _ in 0..count {
            let Some(chunk) = stream.receiver.receive().await? else {
                break;
            };
            self.value("chunk", &chunk);
        }
        Ok(())
    }
}

fn value(text: &str) -> Option<Vec<u8>> {
    match text.split_once('*') {
        Some((unit, count)) => Some(unit.repeat(count.parse().ok()?).into_bytes()),
        None => Some(text.as_bytes().to_vec()),
    }
}

fn milliseconds(text: &str) -> Option<Duration> {
    Some(Duration::from_millis(text.parse().ok()?))
}

fn options(ms: &str) -> Option<Options> {
    Some(Options::new().with_deadline(milliseconds(ms)?))
}
