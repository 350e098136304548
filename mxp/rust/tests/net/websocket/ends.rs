//! Messages of any cut, and how connections end.

use std::net::TcpStream;

use mxp::session::{Config, Incoming, Limits, Request, Role, Session};
use tokio::task::spawn_blocking;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{Frame as Piece, FrameHeader};
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{client, Error, Message, WebSocket};

use super::*;

/// Less than a peer that says nothing is waited for.
const SOON: Duration = Duration::from_secs(10);

/// A peer that cuts messages as it likes.
struct Peer {
    socket: WebSocket<TcpStream>,
    session: Session,
}

/// All that came until the connection ended, or nothing more was awaited.
#[derive(Default)]
struct Came {
    messages: usize,
    longest: usize,
    replies: Vec<Vec<u8>>,
    drains: bool,
    end: Option<CloseFrame>,
}

impl Peer {
    fn connect(at: &str) -> Self {
        let mut request = format!("ws://{at}/").into_client_request().unwrap();
        let headers = request.headers_mut();
        headers.insert("Sec-WebSocket-Protocol", "mxp.1".parse().unwrap());
        let stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        let (socket, _) = client(request, stream).unwrap();
        let limits = Limits {
            in_flight: 1 << 20,
            in_flight_bytes: 1 << 40,
            queue_bytes: 1 << 30,
            bulk_bytes: 1 << 30,
            ..Limits::default()
        };
        let config = Config::new().with_limits(limits);
        let session = Session::new(config, Role::Opener, 0).unwrap();
        Self { socket, session }
    }

    /// The same, when hands are shaken.
    fn greeted(at: &str) -> Self {
        let mut peer = Self::connect(at);
        let hello = peer.bytes();
        peer.socket.send(Message::binary(hello)).unwrap();
        peer.read(|peer, _| peer.session.ready());
        peer
    }

    /// All that the session has to send.
    fn bytes(&mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        while let Some(frames) = self.session.poll_frames(1 << 16, 0) {
            bytes.extend(frames.to_vec());
        }
        bytes
    }

    /// The bytes of a call.
    fn call(&mut self, value: Vec<u8>) -> Vec<u8> {
        let request = Request::new(0, 1);
        self.session.call(&request, value, 0).unwrap();
        self.bytes()
    }

    /// Reads until enough has come, or the end.
    fn read(&mut self, is_enough: impl Fn(&Self, &Came) -> bool) -> Came {
        let mut came = Came::default();
        while !is_enough(self, &came) {
            match self.socket.read() {
                Ok(Message::Binary(bytes)) => self.take(&bytes, &mut came),
                Ok(Message::Close(end)) => came.end = end,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        came
    }

    fn take(&mut self, mut bytes: &[u8], came: &mut Came) {
        came.messages += 1;
        came.longest = came.longest.max(bytes.len());
        while let Some(incoming) = self.session.receive(&mut bytes, 0) {
            match incoming {
                Incoming::Response(response) => came.replies.push(response.value.to_vec()),
                Incoming::Draining(_) => came.drains = true,
                _ => {}
            }
        }
    }
}

/// Lets a thread be a peer of a server, which serves others meanwhile and afterwards.
async fn beside<T: Send + 'static>(peer: impl FnOnce(String) -> T + Send + 'static) -> T {
    let server = serve("mxp+ws://127.0.0.1:0/", WebSocketOptions::new()).await;
    let client = Client::connect(&server.address().to_string()).unwrap();
    let at = place(&server);
    let peer = spawn_blocking(move || peer(at));
    while !peer.is_finished() {
        assert_eq!(ask(&client, b"x").await.unwrap(), b"x");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let done = peer.await.unwrap();
    assert_eq!(ask(&client, b"x").await.unwrap(), b"x");
    done
}

/// A piece of a message.
fn piece(kind: Data, is_final: bool, bytes: &[u8]) -> Message {
    Message::Frame(Piece::message(bytes.to_vec(), OpCode::Data(kind), is_final))
}

/// [MXP-19.3]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_are_cut_anywhere() {
    beside(|address| {
        let mut peer = Peer::connect(&address);
        for byte in peer.bytes() {
            peer.socket.send(Message::binary(vec![byte])).unwrap();
            peer.socket.send(Message::binary(vec![])).unwrap();
        }
        peer.read(|peer, _| peer.session.ready());
        let value: Vec<u8> = (0..100_000_u32).map(|i| i.to_le_bytes()[0]).collect();
        let bytes = peer.call(value.clone());
        let (first, rest) = bytes.split_at(20_000);
        let (second, third) = rest.split_at(3);
        peer.socket.send(piece(Data::Binary, false, first)).unwrap();
        peer.socket.send(Message::Ping(vec![7].into())).unwrap();
        peer.socket
            .send(piece(Data::Continue, false, second))
            .unwrap();
        peer.socket
            .send(piece(Data::Continue, true, third))
            .unwrap();
        let came = peer.read(|_, replies| !replies.replies.is_empty());
        assert_eq!(came.replies, [value]);
        assert!(came.longest <= 16 << 10, "{}", came.longest);
    })
    .await;
}

/// A message that promises to be longer than memory is read as it comes. [MXP-19.3]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_need_not_fit_into_memory() {
    beside(|address| {
        let mut peer = Peer::connect(&address);
        let header = FrameHeader {
            opcode: OpCode::Data(Data::Binary),
            mask: Some([0; 4]),
            ..FrameHeader::default()
        };
        let mut bytes = Vec::new();
        header.format(1 << 63, &mut bytes).unwrap();
        bytes.extend(peer.bytes());
        std::io::Write::write_all(peer.socket.get_mut(), &bytes).unwrap();
        peer.read(|peer, _| peer.session.ready());
        for length in [0, 1, 1 << 20] {
            let bytes = peer.call(vec![3; length]);
            std::io::Write::write_all(peer.socket.get_mut(), &bytes).unwrap();
            let came = peer.read(|_, replies| !replies.replies.is_empty());
            assert_eq!(came.replies, [vec![3; length]]);
        }
    })
    .await;
}

/// [MXP-19.3]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn small_frames_share_a_message() {
    beside(|address| {
        let mut peer = Peer::greeted(&address);
        let calls: Vec<u8> = (0..100).flat_map(|_| peer.call(vec![5; 10])).collect();
        peer.socket.send(Message::binary(calls)).unwrap();
        let came = peer.read(|_, replies| replies.replies.len() == 100);
        assert!(came.messages <= 10, "{} messages", came.messages);
    })
    .await;
}

/// [MXP-19.3]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn text_is_refused() {
    beside(|address| {
        for text in [Message::text("hello"), piece(Data::Text, true, &[0xFF])] {
            let mut peer = Peer::greeted(&address);
            peer.socket.send(text).unwrap();
            let came = peer.read(|_, _| false);
            assert_eq!(came.end.unwrap().code, CloseCode::Unsupported);
        }
    })
    .await;
}

/// Frames that RFC 6455 does not let a client send end the connection. [MXP-19.3]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn frames_that_can_be_none_end_the_connection() {
    beside(|address| {
        for bad in [
            // Without a mask, with a bit of an extension, of no kind, too long, and out of turn.
            &[0x82, 1, 0][..],
            &[0xC2, 0x81, 0, 0, 0, 0, 0],
            &[0x83, 0x81, 0, 0, 0, 0, 0],
            &[0x89, 0xFE, 0, 126, 0, 0, 0, 0],
            &[0x80, 0x81, 0, 0, 0, 0, 0],
            &[0x02, 0x80, 0, 0, 0, 0, 0x82, 0x80, 0, 0, 0, 0],
        ] {
            let mut peer = Peer::greeted(&address);
            std::io::Write::write_all(peer.socket.get_mut(), bad).unwrap();
            let begun = Instant::now();
            let came = peer.read(|_, _| false);
            assert_eq!(came.end.unwrap().code, CloseCode::Protocol, "{bad:?}");
            assert!(begun.elapsed() < SOON, "{bad:?} ends nothing");
        }
    })
    .await;
}

/// A peer that ends is answered, and one that was pinged knows it. [MXP-19.4]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ends_are_answered() {
    beside(|address| {
        let mut peer = Peer::greeted(&address);
        peer.socket.send(Message::Ping(vec![1, 2].into())).unwrap();
        while peer.socket.read().unwrap() != Message::Pong(vec![1, 2].into()) {}
        let begun = Instant::now();
        peer.socket.close(None).unwrap();
        loop {
            match peer.socket.read() {
                Ok(_) => {}
                Err(Error::ConnectionClosed) => break,
                Err(error) => panic!("{error}"),
            }
        }
        assert!(begun.elapsed() < SOON);
    })
    .await;
}

/// A server that ends says so behind all that it has said, and waits for 5 s at most. [MXP-19.4]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_ends_says_so() {
    for answers in [true, false] {
        let server = serve("mxp+ws://127.0.0.1:0/", WebSocketOptions::new()).await;
        let at = place(&server);
        let (tells, greeted) = tokio::sync::oneshot::channel();
        let (drained, waits) = std::sync::mpsc::channel::<()>();
        let peer = spawn_blocking(move || {
            let mut peer = Peer::greeted(&at);
            tells.send(()).unwrap();
            let came = peer.read(|_, replies| replies.end.is_some() || replies.drains);
            if !answers {
                let _ = waits.recv();
                return None;
            }
            peer.session.drain("", 0).unwrap();
            let last = peer.bytes();
            peer.socket.send(Message::binary(last)).unwrap();
            came.end.or(peer.read(|_, _| false).end)
        });
        greeted.await.unwrap();
        let begun = Instant::now();
        server.drain("done").await;
        assert!(
            begun.elapsed() < Duration::from_secs(6),
            "{:?}",
            begun.elapsed()
        );
        drop(drained);
        if let Some(end) = peer.await.unwrap() {
            assert_eq!(end.code, CloseCode::Normal);
        } else {
            assert!(!answers);
        }
    }
}

/// A peer that reads nothing makes the server wait, and is left. [MXP-16.2]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_peer_that_reads_nothing_is_left() {
    let limits = Limits {
        stall_us: 300_000,
        ..Limits::default()
    };
    let echo =
        Service::new("demo.Echo").call(1, |request| async move { Ok(Reply::new(request.value)) });
    let server = Server::new().service(echo).limits(limits);
    let server = server.listen("mxp+ws://127.0.0.1:0/").await.unwrap();
    let at = place(&server);
    let peer = spawn_blocking(move || {
        let mut peer = Peer::greeted(&at);
        let begun = Instant::now();
        loop {
            let bytes = peer.call(vec![0; 64 << 10]);
            if peer.socket.send(Message::binary(bytes)).is_err() {
                return begun.elapsed();
            }
        }
    });
    let mut most = 0;
    while !peer.is_finished() {
        most = most.max(server.stats().held_bytes());
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    assert!(peer.await.unwrap() < LONG);
    assert!(most <= 64 << 20, "{most} bytes were held");
}

/// A client for threads has no WebSocket.
#[test]
fn threads_have_no_websocket() {
    use mxp::net::blocking::Client;
    let error = Client::connect("mxp+ws://127.0.0.1:1/").unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("mxp+ws is not for clients for threads"),
        "{text}"
    );
}

/// A peer is known by the scheme.
#[tokio::test]
async fn peers_come_by_the_scheme() {
    let server = serve("mxp+ws://127.0.0.1:0/", WebSocketOptions::new()).await;
    let client = Client::connect(&server.address().to_string()).unwrap();
    let asked = client.call("demo.Echo", 2, vec![], &Options::new()).await;
    assert_eq!(asked.unwrap().value, b"Other(\"ws\")"[..]);
}
