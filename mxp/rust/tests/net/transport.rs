//! Transports that a program registers.

use std::collections::HashMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::panic::catch_unwind;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mxp::net::transport::{
    EstablishedConnection, IncomingConnection, ListenOptions, Listener, Pending, Protects, Provider,
};
use mxp::net::{
    blocking, Address, ClientOptions, Failure, Options, Process, Server, ServerHandle, Transport,
    WhenFull,
};
use mxp::session::Status;
use tokio::io::DuplexStream;
use tokio::sync::mpsc::{unbounded_channel, UnboundedReceiver, UnboundedSender};

use crate::demo::{service, until, Seen, ECHO, SERVICE, TICK, UPPER};

/// Pipes within the program: each name has a listener at most.
#[derive(Default)]
struct Pipes {
    listeners: Mutex<HashMap<String, UnboundedSender<Far>>>,
    /// The users that are told of clients, if the pipes protect peer credentials.
    tells: Tells,
}

/// The user that a transport tells of a peer.
#[derive(Clone, Copy, Default)]
enum Tells {
    /// No transport with peer credentials.
    #[default]
    Nothing,
    Nobody,
    User(u32),
}

/// The far end of a pipe.
enum Far {
    Tasks(DuplexStream),
    Threads(UnixStream),
}

impl Pipes {
    fn telling(tells: Tells) -> Arc<Self> {
        Arc::new(Self {
            tells,
            ..Self::default()
        })
    }

    fn send(&self, place: &str, far: Far) -> io::Result<()> {
        let listeners = self.listeners.lock().unwrap();
        let listener = listeners
            .get(place)
            .ok_or(io::ErrorKind::ConnectionRefused)?;
        let sent = listener.send(far);
        sent.map_err(|_| io::ErrorKind::ConnectionRefused.into())
    }
}

impl Provider for Pipes {
    fn scheme(&self) -> &'static str {
        "pipe"
    }

    fn form(&self) -> &'static str {
        "name"
    }

    fn address(&self, place: &str) -> Option<Address> {
        let scheme = self.scheme();
        let place = place.to_owned();
        (!place.contains('/')).then_some(Address::Other { scheme, place })
    }

    fn protects(&self) -> Protects {
        match self.tells {
            Tells::Nothing => Protects::NOTHING,
            Tells::Nobody | Tells::User(_) => Protects::PEER_CREDENTIALS,
        }
    }

    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(async move {
            let (near, far) = tokio::io::duplex(1000);
            self.send(place, Far::Tasks(far))?;
            Ok(EstablishedConnection::new(near))
        })
    }

    fn listen<'a>(&'a self, place: &'a str, _: ListenOptions) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move {
            // As with ports, 0 is for any.
            let place = if place == "0" { "some" } else { place };
            let (sender, receiver) = unbounded_channel();
            self.listeners.lock().unwrap().insert(place.into(), sender);
            Ok(Box::new(Ends {
                place: place.into(),
                tells: self.tells,
                receiver: receiver.into(),
            }) as _)
        })
    }

    fn dial_blocking(&self, place: &str, stall: Duration) -> io::Result<Box<dyn blocking::Socket>> {
        let (near, far) = UnixStream::pair()?;
        near.set_write_timeout(Some(stall))?;
        self.send(place, Far::Threads(far))?;
        Ok(Box::new(near))
    }
}

/// The far ends of the pipes to a name.
struct Ends {
    place: String,
    tells: Tells,
    receiver: tokio::sync::Mutex<UnboundedReceiver<Far>>,
}

impl Listener for Ends {
    fn place(&self) -> io::Result<String> {
        Ok(self.place.clone())
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        Box::pin(async {
            let far = self.receiver.lock().await.recv().await;
            let far = far.ok_or(io::ErrorKind::BrokenPipe)?;
            let process = match self.tells {
                Tells::Nothing | Tells::Nobody => None,
                Tells::User(user) => Some(Process::new(user, 0, None)),
            };
            Ok(IncomingConnection::new(async move {
                let connected = match far {
                    Far::Tasks(far) => EstablishedConnection::new(far),
                    Far::Threads(far) => {
                        far.set_nonblocking(true)?;
                        EstablishedConnection::new(tokio::net::UnixStream::from_std(far)?)
                    }
                };
                Ok(connected.with_process(process))
            }))
        })
    }
}

const PIPE: &str = "mxp+pipe://0";

async fn served(pipes: &Arc<Pipes>) -> (ServerHandle, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let server = Server::new().service(service(&seen));
    let server = server.transport(pipes.clone()).listen(PIPE).await;
    (server.unwrap(), seen)
}

#[tokio::test]
async fn a_registered_transport_carries_all_kinds_of_requests() {
    let pipes = Arc::new(Pipes::default());
    let (server, seen) = served(&pipes).await;
    let address = server.address().to_string();
    assert_eq!(address, "mxp+pipe://some");
    let client = ClientOptions::new().transport(pipes).connect(&address);
    let client = client.unwrap();

    let options = Options::new().with_deadline(Duration::from_secs(60));
    let value = vec![7; 100_000];
    let reply = client.call(SERVICE, ECHO, value.clone(), &options).await;
    assert_eq!(reply.unwrap().value, value);

    let stream = client.open(SERVICE, UPPER, vec![], &options).await.unwrap();
    let (sender, mut receiver) = (stream.sender, stream.receiver);
    let send = async move {
        for n in 0..100 {
            sender.send(vec![b'a'; n]).await.unwrap();
        }
        sender.finish().unwrap();
    };
    let receive = async {
        for n in 0..100 {
            assert_eq!(receiver.receive().await.unwrap().unwrap(), vec![b'A'; n]);
        }
        assert!(receiver.receive().await.unwrap().is_none());
    };
    tokio::join!(send, receive);

    let told = client.event(SERVICE, TICK, vec![], WhenFull::Wait, &options);
    told.await.unwrap();
    until("the event came", || seen.ticks.load(Ordering::SeqCst) == 1).await;

    server.drain("done").await;
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn what_a_transport_tells_of_the_peer_is_the_peer() {
    let (told, hears) = unbounded_channel();
    let process = Process::new(own_user(), 0, None);
    let pipes = Pipes::telling(Tells::User(process.user));
    let server = Server::new().transport(pipes.clone());
    let server = server
        .service(service(&Arc::default()))
        .intercept(move |request, next| {
            told.send(request.peer().clone()).unwrap();
            next.run(request)
        });
    let server = server.listen(PIPE).await.unwrap();
    let client = ClientOptions::new().transport(pipes);
    let client = client.connect(&server.address().to_string()).unwrap();
    let (mut hears, options) = (hears, Options::new());
    client.call(SERVICE, ECHO, vec![], &options).await.unwrap();
    let peer = hears.recv().await.unwrap();
    assert_eq!(peer.address, "mxp+pipe://some");
    assert_eq!(peer.transport, Transport::Other("pipe"));
    assert_eq!(peer.process, Some(process));
}

/// The user that the tests run as.
fn own_user() -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata("/proc/self").unwrap().uid()
}

/// Calls a server once, over pipes that tell something of peers.
async fn called(server: Server, tells: Tells) -> Result<(), Failure> {
    let pipes = Pipes::telling(tells);
    let server = server.service(service(&Arc::default()));
    let server = server.transport(pipes.clone()).listen(PIPE).await.unwrap();
    let client = ClientOptions::new().transport(pipes);
    let client = client.connect(&server.address().to_string()).unwrap();
    let called = client.call(SERVICE, ECHO, vec![], &Options::new()).await;
    called.map(|_| ())
}

#[tokio::test]
async fn only_the_servers_own_user_is_let_in_where_credentials_are_protected() {
    let other = own_user() + 1;
    called(Server::new(), Tells::Nothing).await.unwrap();
    called(Server::new(), Tells::User(own_user()))
        .await
        .unwrap();
    let unknown = "the system does not tell which user the peer runs as".to_owned();
    for (tells, text) in [
        (Tells::User(other), format!("the peer runs as user {other}")),
        (Tells::Nobody, unknown),
    ] {
        let failure = called(Server::new(), tells).await.unwrap_err();
        assert_eq!(failure.status, Status::PERMISSION_DENIED);
        assert_eq!(failure.name, "not_admitted");
        assert_eq!(failure.text, text);
        let open = Server::new().allow_other_users();
        called(open, tells).await.unwrap();
        let ruled = Server::new().admit(|_| Ok(()));
        called(ruled, tells).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn threads_dial_a_registered_transport() {
    let pipes = Arc::new(Pipes::default());
    let (server, _) = served(&pipes).await;
    let address = server.address().to_string();
    let asking = std::thread::spawn(move || {
        let client = blocking::ClientOptions::new().transport(pipes);
        let client = client.connect(&address).unwrap();
        client.call(SERVICE, ECHO, b"hello", &Options::new())
    });
    until("it was answered", || asking.is_finished()).await;
    assert_eq!(asking.join().unwrap().unwrap().value, b"hello"[..]);
}

/// A transport that has nothing but a scheme.
struct Bare(&'static str);

impl Provider for Bare {
    fn scheme(&self) -> &'static str {
        self.0
    }
}

#[tokio::test]
async fn what_a_transport_does_not_have_is_refused_at_once() {
    let bare = Arc::new(Bare("bare"));
    let server = Server::new().transport(bare.clone());
    let refused = server.listen("mxp+bare://x").await.err().unwrap();
    assert_eq!(refused.to_string(), "mxp+bare is not for servers");

    let client = ClientOptions::new().transport(bare.clone());
    let client = client.connect("mxp+bare://x").unwrap();
    let failure = client.ready().await.unwrap_err();
    assert_eq!(failure.status, Status::FAILED_PRECONDITION);
    assert_eq!(failure.text, "mxp+bare is not for clients");

    let client = blocking::ClientOptions::new().transport(bare);
    let refused = client.connect("mxp+bare://x").err().unwrap();
    let text = "mxp+bare is not for clients for threads";
    assert!(refused.to_string().ends_with(text), "{refused}");
}

/// A transport whose attempts fail.
struct Failing(fn() -> io::Error);

impl Provider for Failing {
    fn scheme(&self) -> &'static str {
        "fail"
    }

    fn dial<'a>(&'a self, _: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(std::future::ready(Err(self.0())))
    }
}

#[tokio::test]
async fn an_attempt_that_fails_has_the_transports_status_or_is_unavailable() {
    let full = || Failure::new(Status::RESOURCE_EXHAUSTED, "demo_full", "full").into();
    let plain = || io::Error::other("not today");
    for (fail, status, name, text) in [
        (
            full as fn() -> io::Error,
            Status::RESOURCE_EXHAUSTED,
            "demo_full",
            "full",
        ),
        (plain, Status::UNAVAILABLE, "not_connected", "not today"),
    ] {
        let client = ClientOptions::new().transport(Arc::new(Failing(fail)));
        let client = client.connect_timeout(Duration::from_millis(20));
        let client = client.connect("mxp+fail://x").unwrap();
        let failure = client.ready().await.unwrap_err();
        assert_eq!(
            (failure.status, &failure.name[..]),
            (status, name),
            "{failure}"
        );
        assert!(failure.text.contains(text), "{failure}");
    }
}

#[test]
fn schemes_are_registered_once() {
    let wrong = [
        "", "mxp+bare", "Bare", "a b", "a:", "ä", "unix", "tcp", "tls", "pipe",
    ];
    for scheme in wrong {
        let bare = || Arc::new(Bare(scheme));
        let pipes = || Arc::new(Pipes::default());
        let is_refused = [
            catch_unwind(|| drop(Server::new().transport(pipes()).transport(bare()))).is_err(),
            catch_unwind(|| drop(ClientOptions::new().transport(pipes()).transport(bare())))
                .is_err(),
            catch_unwind(|| {
                drop(
                    blocking::ClientOptions::new()
                        .transport(pipes())
                        .transport(bare()),
                );
            })
            .is_err(),
        ];
        assert_eq!(is_refused, [true; 3], "{scheme}");
    }
    let _ = Server::new().transport(Arc::new(Bare("0a9z")));
}

/// The failure that an error wraps.
fn wrapped(error: &io::Error) -> &Failure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    inner.unwrap_or_else(|| panic!("{error} is no failure"))
}

#[tokio::test]
async fn what_is_no_address_is_refused_by_its_name() {
    let pipes = || Arc::new(Pipes::default());
    for at in [
        "mxp+none://a",
        "mxp+pipe://",
        "mxp+pipe:a",
        "pipe://a",
        "mxp+pipe://a/b",
    ] {
        let client = ClientOptions::new().transport(pipes());
        let threads = blocking::ClientOptions::new().transport(pipes());
        let server = Server::new().transport(pipes());
        for refused in [
            client.connect(at).unwrap_err(),
            threads.connect(at).unwrap_err(),
            server.listen(at).await.unwrap_err(),
        ] {
            assert_eq!(refused.kind(), io::ErrorKind::InvalidInput, "{at}");
            let failure = wrapped(&refused);
            assert_eq!(failure.status, Status::INVALID_ARGUMENT, "{at}");
            assert_eq!(failure.name, "address_invalid", "{at}");
            assert!(
                failure.text.starts_with(&format!("{at:?} is not mxp+unix")),
                "{failure}"
            );
        }
    }
}

#[test]
fn an_address_without_a_transport_is_refused_with_those_that_there_are() {
    let forms = [
        ("mxp+unix:///path", true),
        ("mxp+shm:///path", cfg!(feature = "shm")),
        ("mxp+tcp://host:port", true),
        ("mxp+tls://host:port", true),
        ("mxp+ws://host:port/path", cfg!(feature = "websocket")),
        ("mxp+wss://host:port/path", cfg!(feature = "websocket")),
    ];
    let forms: Vec<_> = forms
        .iter()
        .filter(|(_, is)| *is)
        .map(|(form, _)| *form)
        .collect();
    let (last, first) = forms.split_last().unwrap();
    let forms = first.join(", ");
    let text = format!("\"mxp+none://a\" is not {forms} or {last}");
    let refused = "mxp+none://a".parse::<Address>().unwrap_err();
    assert_eq!(refused.to_string(), text);
    let client = ClientOptions::new().transport(Arc::new(Bare("bare")));
    let client = client.transport(Arc::new(Pipes::default()));
    let refused = client.connect("mxp+pipe://a/b").unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::InvalidInput);
    let text = format!("{last}, mxp+bare://… or mxp+pipe://name");
    assert!(refused.to_string().ends_with(&text), "{refused}");
}

#[test]
fn texts_that_are_no_addresses_are_refused() {
    let texts = [
        "",
        "mxp+unix://",
        "mxp+unix:///",
        "mxp+unix://run/x",
        "mxp+unix:/run/x",
        "mxp+tcp://",
        "mxp+tcp://x",
        "mxp+tcp://x:",
        "mxp+tcp://:1",
        "mxp+tcp://x:1/y",
        "mxp+tcp://a/b:7",
        "mxp+tcp://::1:2",
        "mxp+tcp://[]:1",
        "mxp+tcp:x:1",
        "mxp+tcp://x:65536",
        "mxp+tcp://x:+1",
        "mxp+udp://x:1",
        "tcp://x:1",
    ];
    for text in texts {
        assert!(text.parse::<Address>().is_err(), "{text}");
    }
}

/// The files that have one of some names in their code: not in comments, nor in
/// documentation that stands in texts.
fn naming(folder: &Path, names: [&str; 2], found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            naming(&path, names, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let parts = text.split("doc = r#\"").enumerate();
        let code = parts.filter_map(|(n, part)| match n {
            0 => Some(part),
            _ => part.split_once("\"#").map(|(_, code)| code),
        });
        let mut lines = code.flat_map(str::lines);
        let names = |line: &str| names.iter().any(|name| line.contains(name));
        if lines.any(|line| !line.trim_start().starts_with("//") && names(line)) {
            found.push(path.file_name().unwrap().to_str().unwrap().into());
        }
    }
}

#[test]
fn a_scheme_and_its_addresses_stand_in_its_own_file_alone() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (scheme, address, file) in [
        ("mxp+unix", "Address::Unix", "unix.rs"),
        ("mxp+shm", "Address::Shm", "shm.rs"),
        ("mxp+tcp", "Address::Tcp", "tcp.rs"),
        ("mxp+tls", "Address::Tls", "tls.rs"),
    ] {
        let mut found = Vec::new();
        naming(&source, [scheme, address], &mut found);
        found.retain(|name: &String| name != "unix_none.rs"); // the stand-in of other systems
        assert_eq!(found, [file]);
    }
}
