//! A server or a client that does what lines say, in the simulation of sockets. The lines
//! are described in conformance/README.md.

use std::collections::HashMap;
use std::io::Write as _;
use std::time::Duration;

use mxp::net::typed::{Caller, Codec, Method};
use mxp::net::{
    fix_draws, Announcement, Buffer, Client, ClientOptions, Failure, Options, Reply, Request,
    RetryPolicy, Server, ServerHandle, Service, Standing, Stream, WhenFull, Window,
};
use mxp::session::{Limits, Registration, Status};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::task::AbortHandle;

const SERVICE: &str = "sim.Load";
const CALL: u16 = 1;
const EVENT: u16 = 2;
const STREAM: u16 = 3;

/// Tells the simulation something.
macro_rules! say {
    ($($words:tt)*) => {
        writeln!(std::io::stdout(), $($words)*).expect("something can be said")
    };
}

/// The words of a line, key=value.
struct Words(HashMap<String, String>);

impl Words {
    fn text(&self, key: &str) -> &str {
        self.0.get(key).map_or("", |text| text)
    }

    fn number(&self, key: &str) -> u64 {
        self.0
            .get(key)
            .map_or(0, |text| text.parse().expect("a number"))
    }

    /// A number in millionths.
    fn part(&self, key: &str) -> f64 {
        f64::from(u32::try_from(self.number(key)).expect("a part")) / 1e6
    }

    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    fn size(&self, key: &str) -> usize {
        usize::try_from(self.number(key)).expect("a size")
    }

    fn time(&self, key: &str) -> Duration {
        Duration::from_micros(self.number(key))
    }

    fn policy(&self) -> RetryPolicy {
        let attempts = u32::try_from(self.number("attempts")).expect("few attempts");
        let mut policy = RetryPolicy::new()
            .attempts(attempts)
            .least_pause(self.time("least_us"))
            .greatest_pause(self.time("greatest_us"))
            .budget(self.part("budget"));
        if self.has("timeout_us") {
            policy = policy.timeout(self.time("timeout_us"));
        }
        if self.has("hedge_us") {
            policy = policy.hedge(self.time("hedge_us"));
        }
        policy
    }

    fn options(&self) -> Options {
        let mut options = Options::new();
        options.deadline = self.has("deadline").then(|| self.time("deadline"));
        options
    }
}

/// The beginning of each value: which request it is, how long its handler works, and the
/// bytes, or the number of chunks, that are answered.
#[derive(Clone, Copy, PartialEq)]
struct Head {
    id: u64,
    work: u64,
    reply: u64,
    chunks: u64,
}

impl Head {
    const BYTES: usize = 32;

    fn of(words: &Words) -> Self {
        let [id, work, reply, chunks] =
            ["id", "work", "reply", "chunks"].map(|key| words.number(key));
        Self {
            id,
            work,
            reply,
            chunks,
        }
    }

    fn read(value: &[u8]) -> Self {
        let field =
            |i: usize| u64::from_le_bytes(value[8 * i..8 * i + 8].try_into().expect("8 bytes"));
        Self {
            id: field(0),
            work: field(1),
            reply: field(2),
            chunks: field(3),
        }
    }

    fn value(self, bytes: usize) -> Vec<u8> {
        let fields = [self.id, self.work, self.reply, self.chunks];
        let mut value = vec![0; Self::BYTES + bytes];
        for (place, field) in value.chunks_exact_mut(8).zip(fields) {
            place.copy_from_slice(&field.to_le_bytes());
        }
        value
    }

    fn reply_bytes(self) -> usize {
        usize::try_from(self.reply).expect("a size")
    }

    async fn work(self) {
        pause(Duration::from_micros(self.work)).await;
    }
}

async fn pause(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

/// Says when a handler has begun, and when it is done.
struct Handler(&'static str, u64);

impl Handler {
    fn begins(kind: &'static str, asked: &Request) -> (Self, Head) {
        let head = Head::read(&asked.value);
        say!(
            "begun {kind} {} {}",
            head.id,
            asked.value.len() - Head::BYTES
        );
        (Self(kind, head.id), head)
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        say!("done {} {}", self.0, self.1);
    }
}

fn service() -> Service {
    Service::new(SERVICE)
        .call(CALL, |asked| async move {
            let (_handler, head) = Handler::begins("call", &asked);
            head.work().await;
            if head.chunks > 0 {
                let details = vec![0; head.reply_bytes()];
                let failure = Failure::new(Status::INVALID_ARGUMENT, "asked", "");
                return Err(failure.with_details(details));
            }
            Ok(Reply::new(head.value(head.reply_bytes())))
        })
        .event_async(EVENT, |asked| async move {
            let (_handler, head) = Handler::begins("event", &asked);
            head.work().await;
            Ok(())
        })
        .stream(STREAM, |asked, mut stream| async move {
            let (_handler, head) = Handler::begins("stream", &asked);
            while stream.receive().await?.is_some() {
                head.work().await;
            }
            for _ in 0..head.chunks {
                stream.send(vec![0; head.reply_bytes()]).await?;
                head.work().await;
            }
            Ok(())
        })
}

/// The name of a failure, whether somebody may have acted, how much has come, and the status.
fn verdict<T>(end: &Result<T, Failure>, got: usize) -> String {
    match end {
        Ok(_) => format!("ok 1 {got} 0"),
        Err(failure) => {
            let acted = u8::from(failure.acted);
            format!("{} {acted} {got} {}", failure.name, failure.status.0)
        }
    }
}

/// A method whose handler may run twice without harm.
fn idempotent() -> Method<Vec<u8>, Vec<u8>> {
    let bytes = Codec::new(
        |bytes: &Vec<u8>| {
            let mut buffer = Buffer::default();
            buffer.extend_from_slice(bytes);
            Ok(buffer)
        },
        |bytes| Ok(bytes.to_vec()),
    );
    Method::new(SERVICE, CALL, "call", bytes, bytes).idempotent()
}

struct Program {
    /// Tasks of requests, by their ids.
    cancels: HashMap<String, AbortHandle>,
    folder: String,
    servers: HashMap<String, std::sync::Arc<ServerHandle>>,
    client: Option<Result<Client, Failure>>,
    name: Option<Announcement>,
}

impl Program {
    /// A client of the addresses that there are.
    fn connect(&self, words: &Words) -> Result<Client, Failure> {
        let mut options = ClientOptions::new();
        let mut limits = Limits::default();
        if words.has("connection_bytes") {
            limits.connection_bytes = words.size("connection_bytes");
        }
        if words.has("in_flight") {
            limits.in_flight = words.size("in_flight");
        }
        if words.has("in_flight_bytes") {
            limits.in_flight_bytes = words.size("in_flight_bytes");
        }
        if words.has("window_bytes") {
            let bytes = words.number("window_bytes");
            options = options.stream_window(Window {
                bytes,
                ..Window::default()
            });
        }
        if words.has("memory_bytes") {
            options = options.memory_bytes(words.size("memory_bytes"));
        }
        if words.has("connections") {
            options = options.connections(words.size("connections"));
        }
        if words.has("connect_us") {
            options = options.connect_timeout(words.time("connect_us"));
        }
        if words.has("batches") {
            options = options.no_batches();
        }
        if words.number("keep_outliers") == 1 {
            options = options.keep_outliers();
        }
        if words.has("attempts") {
            options = options.retry(words.policy());
        }
        let mut addresses: Vec<String> = (1..=words.number("addresses").max(1))
            .map(|n| format!("mxp+unix://{}/client{n}.sock", self.folder))
            .collect();
        if words.number("node") == 1 {
            options = options.node(addresses[0].clone());
        }
        if words.has("address") {
            addresses = vec![words.text("address").into()];
        }
        options
            .limits(limits)
            .connect_any(addresses.iter().map(String::as_str))
            .map_err(|error| {
                let inner = error.into_inner().expect("a failure");
                *inner.downcast().expect("a failure")
            })
    }

    /// Keeps a name at the node, and says each epoch and each loss.
    fn announce(&self, words: &Words) -> Announcement {
        let node = format!("mxp+unix://{}/client1.sock", self.folder);
        let registration = Registration::new(words.text("name")).with_lease(words.number("lease"));
        let kept =
            ClientOptions::new()
                .node(node)
                .announce(registration, |standing| match standing {
                    Standing::Held { epoch, .. } => say!("held {epoch}"),
                    Standing::Lost(failure) => say!("lost {}", failure.name),
                    _ => {}
                });
        kept.expect("a name")
    }

    async fn follow(&mut self, verb: &str, words: Words) {
        match verb {
            "serve" => {
                let name = words.text("server");
                let at = format!("mxp+unix://{}/{name}.sock", self.folder);
                let mut limits = Limits::default();
                if !words.text("connection_bytes").is_empty() {
                    limits.connection_bytes = words.size("connection_bytes");
                }
                if words.has("in_flight") {
                    limits.in_flight = words.size("in_flight");
                }
                let mut server = Server::new().service(service()).limits(limits);
                if !words.text("memory_bytes").is_empty() {
                    server = server.memory_bytes(words.size("memory_bytes"));
                }
                let listening = server.listen(&at).await;
                self.servers
                    .insert(name.into(), listening.expect("a place to listen").into());
            }
            "shutdown" => {
                let server = std::sync::Arc::clone(&self.servers[words.text("server")]);
                tokio::spawn(async move {
                    let drained = tokio::time::timeout(words.time("us"), server.drain("shutdown"));
                    let end = if drained.await.is_ok() {
                        "ok"
                    } else {
                        "deadline_exceeded"
                    };
                    say!("shut {} {end} 1", words.text("server"));
                });
            }
            "client" => self.client = Some(self.connect(&words)),
            "draw" => fix_draws(words.part("part")),
            "announce" => self.name = Some(self.announce(&words)),
            "cancel" => self.cancels[words.text("id")].abort(),
            "leave" => {
                let client = self.client.take().expect("a client").expect("an address");
                tokio::spawn(async move {
                    let drained = tokio::time::timeout(words.time("us"), client.drain("leaves"));
                    let end = if drained.await.is_ok() {
                        "ok"
                    } else {
                        "deadline_exceeded"
                    };
                    say!("left {end} 1");
                });
            }
            "call" | "event" | "open" => {
                let client = self.client.clone().expect("a client");
                let kind = match verb {
                    "call" => "call",
                    "event" => "event",
                    _ => "stream",
                };
                let id = words.text("id").to_owned();
                let task = tokio::spawn(async move {
                    let mut got = 0;
                    let ended = match (client, kind) {
                        (Err(failure), _) => Err(failure),
                        (Ok(client), "call") => call(&client, &words, &mut got).await,
                        (Ok(client), "event") => event(&client, &words).await,
                        (Ok(client), _) => stream(&client, &words, &mut got).await,
                    };
                    say!("ended {kind} {} {}", words.text("id"), verdict(&ended, got));
                });
                self.cancels.insert(id, task.abort_handle());
            }
            _ => panic!("no command {verb}"),
        }
    }
}

async fn call(client: &Client, words: &Words, got: &mut usize) -> Result<(), Failure> {
    let head = Head::of(words);
    let value = head.value(words.size("bytes"));
    let reply = if words.number("idempotent") == 1 {
        let caller = Caller::new(client.clone()).with(words.options());
        idempotent().call(&caller, &value).await?
    } else {
        let reply = client.call(SERVICE, CALL, value, &words.options()).await?;
        reply.value.to_vec()
    };
    assert!(Head::read(&reply) == head, "the answer is another's");
    *got = reply.len() - Head::BYTES;
    Ok(())
}

async fn event(client: &Client, words: &Words) -> Result<(), Failure> {
    let value = Head::of(words).value(words.size("bytes"));
    let options = words.options();
    if words.number("ack") == 1 {
        return client.event_acked(SERVICE, EVENT, value, &options).await;
    }
    client
        .event(SERVICE, EVENT, value, WhenFull::Wait, &options)
        .await
}

/// Opens a stream, sends its chunks with pauses, and takes the peer's, with pauses.
async fn stream(client: &Client, words: &Words, got: &mut usize) -> Result<(), Failure> {
    let value = Head::of(words).value(words.size("bytes"));
    let service = if words.has("service") {
        words.text("service")
    } else {
        SERVICE
    };
    let mut stream: Stream = client
        .open(service, STREAM, value, &words.options())
        .await?;
    for _ in 0..words.number("send") {
        stream.send(vec![0; words.size("size")]).await?;
        pause(words.time("pause")).await;
    }
    stream.finish()?;
    while stream.receive().await?.is_some() {
        *got += 1;
        pause(words.time("pause")).await;
    }
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> std::io::Result<()> {
    use std::os::fd::AsFd as _;
    let input =
        std::os::unix::net::UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    input.set_nonblocking(true)?;
    let mut lines = BufReader::new(tokio::net::UnixStream::from_std(input)?).lines();
    let mut program = Program {
        cancels: HashMap::new(),
        folder: std::env::var("MXP_NETWORK").expect("a folder"),
        servers: HashMap::new(),
        client: None,
        name: None,
    };
    while let Some(line) = lines.next_line().await? {
        let mut words = line.split(' ');
        let verb = words.next().unwrap_or_default();
        let rest = words.filter_map(|word| word.split_once('='));
        let rest = rest.map(|(key, value)| (key.into(), value.into()));
        program.follow(verb, Words(rest.collect())).await;
    }
    Ok(())
}
