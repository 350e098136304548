use core::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{io, vec};

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};
use tokio::net::UnixStream;

use super::*;
use crate::engine::link::{RequestKind, RequestSpec};
use crate::net::service::Services;
use crate::net::telemetry::Telemetry;
use crate::net::{Peer, Service, WhenFull};
use crate::session::{Config, FullPolicy, Limits, Request, Role, Session, Value};

/// A socket that keeps what it is given until it is flushed, as TLS may.
#[tokio::test]
async fn what_a_socket_keeps_is_flushed() {
    let sockets = UnixStream::pair().unwrap();
    let mut ends = Vec::new();
    for (socket, role) in [(sockets.0, Role::Opener), (sockets.1, Role::Acceptor)] {
        let methods = Arc::default();
        let connection = Connection::new(Config::new(), role, methods, Peer::default()).unwrap();
        let connection = Arc::new(connection);
        let socket = Box::new(tokio::io::BufStream::new(socket));
        tokio::spawn(drive(
            Arc::clone(&connection),
            Arc::default(),
            socket,
            30_000_000,
        ));
        ends.push(connection);
    }
    for end in ends {
        let ready = tokio::time::timeout(Duration::from_secs(5), end.ready());
        ready.await.expect("Hello has come").unwrap();
    }
}

/// A socket that counts how often it is asked to read or write.
struct Counted(UnixStream, Arc<AtomicUsize>);

impl Counted {
    fn socket(&mut self) -> Pin<&mut UnixStream> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut self.0)
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.socket().poll_read(cx, buffer)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.socket().poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_shutdown(cx)
    }
}

/// The frames that wait in a session, as bytes.
fn sent(session: &mut Session) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(out) = session.poll_frame(0) {
        bytes.extend(out.to_vec());
    }
    bytes
}

/// A connection whose peer is a session by hand, and how often its socket was asked for
/// something.
struct Scene {
    connection: Arc<Connection>,
    peer: Session,
    socket: UnixStream,
    polls: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Scene {
    async fn new(role: Role, services: Services, stall_us: u64) -> Self {
        let limits = Limits {
            queue_bytes: 64 << 20,
            bulk_bytes: 64 << 20,
            stall_us,
            ..Limits::default()
        };
        Self::with(role, services, limits).await
    }

    async fn with(role: Role, services: Services, limits: Limits) -> Self {
        Self::over(role, services, limits, |ours, polls| {
            Box::new(Counted(ours, polls))
        })
        .await
    }

    async fn over(
        role: Role,
        services: Services,
        limits: Limits,
        socket_of: impl FnOnce(UnixStream, Arc<AtomicUsize>) -> Box<dyn Socket>,
    ) -> Self {
        let (ours, mut socket) = UnixStream::pair().unwrap();
        let other = match role {
            Role::Opener => Role::Acceptor,
            Role::Acceptor => Role::Opener,
        };
        let mut peer = Session::new(Config::new().with_service("t.T"), other, 0).unwrap();
        let config = Config::new().with_limits(limits);
        let handlers = services.served(None, &Telemetry::default());
        let methods = Arc::clone(&handlers.methods);
        let connection = Connection::new(config, role, methods, Peer::default()).unwrap();
        let connection = Arc::new(connection);
        let polls = Arc::new(AtomicUsize::new(0));
        let counted = socket_of(ours, Arc::clone(&polls));
        let task = tokio::spawn(drive(
            Arc::clone(&connection),
            handlers,
            counted,
            limits.stall_us,
        ));
        socket.write_all(&sent(&mut peer)).await.unwrap();
        let mut buffer = vec![0; 4096];
        while !peer.ready() {
            let n = socket.read(&mut buffer).await.unwrap();
            let mut rest = &buffer[..n];
            while peer.receive(&mut rest, 0).is_some() {}
        }
        connection.ready().await.unwrap();
        Self {
            connection,
            peer,
            socket,
            polls,
            task,
        }
    }

    /// Tells the peer so much that the socket does not take it.
    fn tell_much(&self) {
        let what = RequestSpec {
            service: "t.T",
            method: 1,
            trace: None,
            metadata: &[],
            kind: RequestKind::Event(WhenFull::Refuse),
        };
        for _ in 0..4 {
            let value = Value::Vec(vec![0; 4 << 20]).shared();
            let made = self.connection.ask(&what, &value, None, None);
            assert!(made.is_ok());
        }
    }

    /// The number of polls of the socket in a time.
    async fn polls_in(&self, time: Duration) -> usize {
        let before = self.polls.load(Ordering::Relaxed);
        tokio::time::sleep(time).await;
        self.polls.load(Ordering::Relaxed) - before
    }
}

/// More than timers need in half a second.
const FEW_POLLS: usize = 20;

#[tokio::test]
async fn a_connection_whose_peer_reads_nothing_rests() {
    let scene = Scene::new(Role::Opener, Services::default(), 30_000_000).await;
    scene.tell_much();
    // The times at which memory is given back have come by then.
    tokio::time::sleep(2 * QUIET).await;
    let polls = scene.polls_in(Duration::from_millis(500)).await;
    assert!(polls < FEW_POLLS, "{polls}");
}

#[tokio::test]
async fn a_connection_that_has_stalled_rests_until_it_is_closed() {
    let scene = Scene::new(Role::Opener, Services::default(), 200_000).await;
    scene.tell_much();
    tokio::time::sleep(Duration::from_millis(300)).await;
    let polls = scene.polls_in(Duration::from_millis(500)).await;
    assert!(polls < FEW_POLLS, "{polls}");
    let closed = tokio::time::timeout(Duration::from_secs(5), scene.connection.closed());
    closed.await.expect("it is closed");
    assert!(scene.connection.lock().ended().is_some());
}

/// A peer that takes bytes now and then is no peer that takes none.
#[tokio::test]
async fn a_slow_reader_does_not_stall_a_connection() {
    let mut scene = Scene::new(Role::Opener, Services::default(), 2_000_000).await;
    scene.tell_much();
    let mut left = 16 << 20;
    let mut buffer = vec![0; 1 << 20];
    while left > 0 {
        tokio::time::sleep(Duration::from_millis(200)).await;
        let mut taken = 0;
        while taken < buffer.len() && left > 0 {
            let n = scene.socket.read(&mut buffer[taken..]).await.unwrap();
            assert!(n > 0, "the connection has ended with {left} bytes left");
            taken += n;
            left = usize::saturating_sub(left, n);
        }
    }
    assert!(scene.connection.lock().is_usable());
}

/// The frames from before the end are written, however long that takes.
#[tokio::test]
async fn what_waits_is_written_after_a_drain() {
    let mut scene = Scene::new(Role::Opener, Services::default(), 30_000_000).await;
    scene.tell_much();
    scene.connection.drain("");
    tokio::time::sleep(LINGER + Duration::from_millis(500)).await;
    let mut bytes = Vec::new();
    scene.socket.read_to_end(&mut bytes).await.unwrap();
    assert!(bytes.len() > 16 << 20, "{}", bytes.len());
}

/// Where the connection ends, events that came are still handled.
#[tokio::test]
async fn events_that_wait_outlive_their_connection() {
    let seen = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&seen);
    let service = Service::new("t.T").event_async(1, move |_| {
        let count = Arc::clone(&count);
        async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            count.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    });
    let services = Services([service].into());
    let mut scene = Scene::new(Role::Acceptor, services, 30_000_000).await;
    for _ in 0..20 {
        let request = Request::new(0, 1);
        let told = scene
            .peer
            .event(&request, false, FullPolicy::Refuse, &[], 0);
        told.unwrap();
    }
    scene
        .socket
        .write_all(&sent(&mut scene.peer))
        .await
        .unwrap();
    drop(scene.socket);
    scene.task.await.unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 20);
}

/// Else its peer would give it up, though it only waits for a handler [MXP-10.8].
#[tokio::test]
async fn a_connection_that_reads_nothing_for_now_pings() {
    let service = Service::new("t.T").event_async(1, |_| core::future::pending());
    let services = Services([service].into());
    let limits = Limits {
        ping_us: 30_000,
        ..Limits::default()
    };
    let mut scene = Scene::with(Role::Acceptor, services, limits).await;
    for _ in 0..2000 {
        let request = Request::new(0, 1);
        let told = scene
            .peer
            .event(&request, false, FullPolicy::Refuse, &[], 0);
        told.unwrap();
    }
    let events = sent(&mut scene.peer);
    scene.socket.write_all(&events).await.unwrap();
    // Nothing is read any more, and so no Pong.
    let mut buffer = vec![0; 4096];
    for _ in 0..3 {
        let read = tokio::time::timeout(Duration::from_secs(5), scene.socket.read(&mut buffer));
        let n = read.await.expect("it pings").unwrap();
        let mut rest = &buffer[..n];
        while scene.peer.receive(&mut rest, 0).is_some() {}
        assert!(!sent(&mut scene.peer).is_empty());
    }
    assert!(scene.connection.lock().is_usable());
}

/// Also while nothing is read, since events wait for a handler or too much is held. [MXP-15.5]
#[tokio::test]
async fn a_peer_that_hangs_up_is_found_out_where_nothing_is_read() {
    let handlers = || {
        Service::new("t.T")
            .event_async(1, |_| core::future::pending())
            .call(2, |_| core::future::pending())
    };
    let limits = Limits {
        connection_bytes: 150_000,
        ..Limits::default()
    };
    for is_event in [true, false] {
        let services = Services([handlers()].into());
        let plain = |ours, _| -> Box<dyn Socket> { Box::new(ours) };
        let mut scene = Scene::over(Role::Acceptor, services, limits, plain).await;
        for _ in 0..if is_event { 2000 } else { 12 } {
            if is_event {
                let request = Request::new(0, 1);
                let told = scene
                    .peer
                    .event(&request, false, FullPolicy::Refuse, &[], 0);
                told.unwrap();
            } else {
                let asked = scene.peer.call(&Request::new(0, 2), vec![0; 15_000], 0);
                asked.unwrap();
            }
        }
        let all = sent(&mut scene.peer);
        scene.socket.write_all(&all).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(scene.connection.lock().is_usable());
        drop(scene.socket);
        let ends = async {
            while scene.connection.lock().ended().is_none() {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let ended = tokio::time::timeout(Duration::from_secs(5), ends).await;
        assert!(ended.is_ok(), "is_event: {is_event}");
    }
}
