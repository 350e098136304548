//! Clients that can't connect, and servers that come late.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::{blocking, Client, ClientOptions, Failure, Options, Server};
use mxp::session::{Status, TypeInfo};

use crate::demo::{folder, plain, service, until, Seen, ECHO, REFUSE, SERVICE};
use crate::log::Log;

/// The connect timeouts for failures that may heal, and do not. In the first, a peer that answers
/// may not have come to it yet: the machine is busy, or the last attempt began just before the end.
const SHORT: [Duration; 3] = [
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(10),
];

/// The connect timeout for failures that do not heal: they have to end at once, or the test does
/// not end.
const LONG: [Duration; 1] = [Duration::from_secs(3600)];

/// An address that refuses a client, and the expected failure.
struct Case {
    at: String,
    status: Status,
    name: &'static str,
    text: &'static str,
    types: Vec<TypeInfo>,
}

impl Case {
    fn new(at: String, status: Status, name: &'static str, text: &'static str) -> Self {
        let types = Vec::new();
        Self {
            at,
            status,
            name,
            text,
            types,
        }
    }

    fn heals(&self) -> bool {
        self.status == Status::UNAVAILABLE
    }

    /// The connect timeouts to try.
    fn timeouts(&self) -> &'static [Duration] {
        if self.heals() {
            &SHORT
        } else {
            &LONG
        }
    }

    /// Whether a longer timeout may bring what the peer does.
    fn is_too_early(&self, failure: &Failure, timeout: Duration) -> bool {
        self.timeouts().last() != Some(&timeout) && !failure.text.contains(self.text)
    }

    fn check(&self, failure: &Failure, begun: Instant, timeout: Duration) {
        let Self { at, text, .. } = self;
        assert_eq!(failure.status, self.status, "{at}: {failure}");
        assert_eq!(failure.name, self.name, "{failure}");
        assert_eq!(failure.peer(), at, "{failure}");
        assert!(failure.text.contains(text), "{failure}");
        assert!(!failure.acted, "{failure}");
        let took = begun.elapsed();
        assert!(!self.heals() || took >= timeout, "{failure} after {took:?}");
    }
}

/// A port that does what it likes with each connection.
fn port(serve: impl Fn(&mut TcpStream) -> bool + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            if serve(&mut socket) {
                kept.push(socket);
            }
        }
    });
    at
}

fn of_type(fingerprint: u64, layout: &str) -> TypeInfo {
    TypeInfo::new("demo.A", &[fingerprint], layout)
}

fn cases(other: &str) -> Vec<Case> {
    let (lost, wrong) = (Status::UNAVAILABLE, Status::FAILED_PRECONDITION);
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let refusing = format!("mxp+tcp://{}", nobody.local_addr().unwrap());
    drop(nobody);
    let silent = format!("mxp+tcp://{}", port(|_| true));
    let hasty = format!("mxp+tcp://{}", port(|_| false));
    let http = format!(
        "mxp+tcp://{}",
        port(|socket| {
            let text = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n";
            socket.write_all(text).is_ok()
        })
    );
    // An alert of TLS, and no more for a while.
    let alert = port(|socket| socket.write_all(&[21, 3, 1, 0, 2, 2, 70]).is_ok());
    let alert = format!("mxp+tcp://{alert}");
    let none = "not_connected";
    let mut schema = Case::new(
        other.to_owned(),
        wrong,
        "session_schema",
        "demo.A.x: here u16, there u8",
    );
    schema.types = vec![of_type(2, "0 struct demo.A\n x u16\n")];
    let mut all = vec![
        Case::new(refusing, lost, none, "refused"),
        Case::new("mxp+tcp://a..b:9000".to_owned(), wrong, none, "lookup"),
        schema,
        Case::new(silent, lost, none, "has not sent its Hello"),
        Case::new(hasty, lost, none, "before its Hello"),
        Case::new(http, wrong, "frame_magic", "another protocol"),
        Case::new(alert, wrong, "frame_magic", "another protocol"),
        Case::new("mxp+tls://127.0.0.1:1".to_owned(), wrong, none, "TLS"),
    ];
    #[cfg(unix)]
    all.extend(path_cases());
    all
}

/// Paths at which there is no server.
#[cfg(unix)]
fn path_cases() -> [Case; 4] {
    let (lost, wrong) = (Status::UNAVAILABLE, Status::FAILED_PRECONDITION);
    let folder = folder();
    let path = |name: &str| format!("mxp+unix://{}/{name}", folder.display());
    std::fs::write(folder.join("file"), "x").unwrap();
    let long = format!("mxp+unix:///{}", "x".repeat(200));
    let none = "not_connected";
    [
        Case::new(path("none"), lost, none, "No such file"),
        Case::new(path("file"), wrong, none, "no socket"),
        Case::new(path("file/s"), wrong, none, "Not a directory"),
        Case::new(
            long,
            Status::INVALID_ARGUMENT,
            "address_invalid",
            "too long",
        ),
    ]
}

/// The failure that an error of connecting wraps.
fn wrapped(error: &std::io::Error) -> &Failure {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    inner.unwrap_or_else(|| panic!("{error} is no failure"))
}

async fn other_schema() -> mxp::net::ServerHandle {
    let server = Server::new().types([of_type(1, "0 struct demo.A\n x u8\n")]);
    server.listen(&plain()).await.unwrap()
}

/// Whether a client ended as the case says; `false` if the timeout was too short to tell.
async fn ends(case: &Case, timeout: Duration) -> bool {
    let options = ClientOptions::new().types(case.types.clone());
    let client = options.connect_timeout(timeout).connect(&case.at).unwrap();
    for _ in 0..2 {
        let begun = Instant::now();
        let options = Options::new();
        let call = client.call(SERVICE, ECHO, vec![], &options).await;
        let failure = call.unwrap_err();
        if case.is_too_early(&failure, timeout) {
            return false;
        }
        case.check(&failure, begun, timeout);
    }
    let begun = Instant::now();
    let failure = client.ready().await.unwrap_err();
    if case.is_too_early(&failure, timeout) {
        return false;
    }
    case.check(&failure, begun, timeout);
    true
}

#[tokio::test]
async fn calls_without_a_connection_end() {
    let other = other_schema().await;
    for case in cases(&other.address().to_string()) {
        for &timeout in case.timeouts() {
            if ends(&case, timeout).await {
                break;
            }
        }
    }
}

#[tokio::test]
async fn blocking_calls_without_a_connection_end() {
    let other = other_schema().await;
    let at = other.address().to_string();
    let asking = tokio::task::spawn_blocking(move || {
        for case in cases(&at) {
            for &timeout in case.timeouts() {
                let begun = Instant::now();
                let client = blocking::ClientOptions::new()
                    .types(case.types.clone())
                    .connect_timeout(timeout)
                    .connect(&case.at);
                let error = client.unwrap_err();
                if !case.is_too_early(wrapped(&error), timeout) {
                    case.check(wrapped(&error), begun, timeout);
                    break;
                }
            }
        }
    });
    asking.await.unwrap();
}

/// [MXP-21.1]
#[cfg(unix)]
#[test]
fn pipes_belong_to_windows() {
    let refused = blocking::Client::connect("mxp+pipe://x").unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::InvalidInput);
    let text = refused.to_string();
    assert!(text.contains("named pipes belong to Windows"), "{text}");
}

#[test]
fn what_is_no_address_is_quoted() {
    let error = blocking::Client::connect("mxp+udp://x:1").unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    assert!(error.to_string().contains("\"mxp+udp://x:1\""), "{error}");
}

#[tokio::test]
async fn a_deadline_ends_the_wait_for_a_connection() {
    let at = plain();
    let client = ClientOptions::new().connect_timeout(Duration::from_secs(3600));
    let client = client.connect(&at).unwrap();
    let soon = Options::new().with_deadline(Duration::from_millis(50));
    let failure = client.call(SERVICE, ECHO, vec![], &soon).await.unwrap_err();
    assert_eq!(failure.status, Status::UNAVAILABLE);
    let absent = if cfg!(unix) {
        "No such file"
    } else {
        "refused"
    };
    assert!(failure.text.contains(absent), "{failure}");
}

#[tokio::test]
async fn servers_that_come_late_are_waited_for() {
    let at = plain();
    let seen = Arc::new(Seen::default());
    let client = ClientOptions::new().connect_timeout(Duration::from_secs(60));
    let client = client.connect(&at).unwrap();
    let asking = client.clone();
    let call = tokio::spawn(async move {
        let options = Options::new();
        asking.call(SERVICE, ECHO, b"x".to_vec(), &options).await
    });
    let to = at.clone();
    let threads = tokio::task::spawn_blocking(move || {
        let client = blocking::ClientOptions::new().connect_timeout(Duration::from_secs(60));
        let client = client.connect(&to).unwrap();
        client.call(SERVICE, ECHO, b"x", &Options::new())
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    let _server = Server::new()
        .service(service(&seen))
        .listen(&at)
        .await
        .unwrap();
    assert_eq!(call.await.unwrap().unwrap().value, b"x"[..]);
    assert_eq!(threads.await.unwrap().unwrap().value, b"x"[..]);
}

/// Each loss, and the first of the attempts that fail after it; a failure that no attempt can
/// mend is told once more. [MXP-14.5]
#[cfg(unix)]
#[tokio::test]
async fn each_loss_is_logged_once() {
    let (log, _logged) = Log::of_this_thread();
    let at = plain();
    let seen = Arc::new(Seen::default());
    let client = ClientOptions::new().connect_timeout(Duration::from_secs(60));
    let client = client.connect(&at).unwrap();
    let count = |message| log.count(&format!("message={message} peer={at} "));
    for n in 1..=3 {
        tokio::time::sleep(Duration::from_millis(30)).await; // for some attempts
        let server = Server::new().service(service(&seen)).listen(&at).await;
        let options = Options::new();
        client.call(SERVICE, ECHO, vec![], &options).await.unwrap();
        drop(server);
        until("it is lost", || count("connection ended") == n).await;
    }
    tokio::time::sleep(Duration::from_millis(30)).await;
    let counts = ["connected", "connection ended", "not connected"].map(count);
    assert_eq!(counts, [3, 3, 1]);
    std::fs::write(at.strip_prefix("mxp+unix://").unwrap(), "x").unwrap();
    until("it is final", || log.count("no socket") == 1).await;
    tokio::time::sleep(Duration::from_millis(30)).await;
    assert_eq!(count("not connected"), 2);
}

/// Two sides that mean another type by the requests of two methods, and can't compare another, say so
/// once each, and other methods work. [MXP-6.5] [MXP-6.8]
#[tokio::test]
async fn refused_methods_are_one_line_of_the_log() {
    let (log, _logged) = Log::of_this_thread();
    let of = |fingerprint, field: &str| {
        let info = of_type(fingerprint, &format!("0 struct demo.A\n x {field}\n"));
        let info = info.requested(SERVICE, ECHO, "echo");
        let info = info.requested(SERVICE, 77, "other");
        // As a release before 0.4 has it.
        let other = TypeInfo::new("demo.B", &[1], "").requested(SERVICE, ECHO, "echo");
        [info, other]
    };
    let server = Server::new().service(service(&Arc::new(Seen::default())));
    let server = server.types(of(1, "u8")).listen(&plain()).await.unwrap();
    let client = ClientOptions::new().types(of(2, "u16"));
    let client = client.connect(&server.address().to_string()).unwrap();
    let options = Options::new();
    let failure = client.call(SERVICE, ECHO, vec![], &options).await;
    assert_eq!(failure.unwrap_err().name, "session_schema");
    let failure = client.call(SERVICE, REFUSE, vec![], &options).await;
    assert_eq!(failure.unwrap_err().name, "demo_refused");
    let said = "message=methods refused count=2 first=demo.Echo/echo difference=demo.A.x: ";
    for differing in ["here u16, there u8", "here u8, there u16"] {
        assert_eq!(log.count(&format!("{said}{differing}")), 1, "{differing}");
    }
    let said = "message=types compared by fingerprints alone count=1 first=demo.B";
    assert_eq!(log.count(said), 2);
}

/// A path in a folder of its own that has so many bytes.
fn path_of(bytes: usize) -> String {
    let folder = folder().display().to_string();
    let name = "x".repeat(bytes - folder.len() - 1);
    format!("{folder}/{name}")
}

#[cfg(unix)]
#[cfg(target_os = "linux")]
#[tokio::test]
async fn every_path_that_the_system_takes_is_served_and_asked() {
    use std::os::unix::fs::PermissionsExt as _;
    let path = path_of(107);
    let address = format!("mxp+unix://{path}");
    let server = Server::new().service(service(&Arc::new(Seen::default())));
    let server = server.listen(&address).await.unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let client = Client::connect(&address).unwrap();
    let options = Options::new();
    let reply = client.call(SERVICE, ECHO, b"x".to_vec(), &options).await;
    assert_eq!(reply.unwrap().value, b"x"[..]);
    let asking = tokio::task::spawn_blocking(move || {
        let client = blocking::Client::connect(&address).unwrap();
        let reply = client.call(SERVICE, ECHO, b"x", &Options::new());
        assert_eq!(reply.unwrap().value, b"x"[..]);
    });
    asking.await.unwrap();
    drop(server);
}

#[cfg(unix)]
#[tokio::test]
async fn longer_paths_are_refused_before_anything_is_done() {
    let path = path_of(108);
    let address = format!("mxp+unix://{path}");
    let named = |failure: &Failure| {
        assert_eq!(failure.name, "address_invalid", "{failure}");
        assert_eq!(failure.status, Status::INVALID_ARGUMENT, "{failure}");
    };
    let refused = Server::new().listen(&address).await.unwrap_err();
    named(wrapped(&refused));
    let folder = std::path::Path::new(&path).parent().unwrap();
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    let client = Client::connect(&address).unwrap();
    let called = client.call(SERVICE, ECHO, vec![], &Options::new()).await;
    named(&called.unwrap_err());
    let asking = move || blocking::Client::connect(&address).unwrap_err();
    named(wrapped(&tokio::task::spawn_blocking(asking).await.unwrap()));
}
