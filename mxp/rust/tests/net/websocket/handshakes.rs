//! Handshakes that are let in, and answers as a client takes them.

use super::*;

/// Asks for a WebSocket, and returns the connection, the answer's status, and its head.
async fn shake(at: &str, path: &str, lines: &[String]) -> (TcpStream, u16, String) {
    let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n".to_owned();
    shake_with(at, path, &[&[key], lines].concat()).await
}

/// The same, where the headers have the key, too.
async fn shake_with(at: &str, path: &str, lines: &[String]) -> (TcpStream, u16, String) {
    let mut stream = TcpStream::connect(at).await.unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\n{}\r\n",
        lines.concat()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        head.push(char::from(stream.read_u8().await.unwrap()));
    }
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (stream, status, head)
}

/// The headers of a handshake: a dot leaves one out, and a dash has it empty.
fn headers(host: &str, origin: &str, subprotocols: &str) -> Vec<String> {
    let all = [
        ("Host", host),
        ("Origin", origin),
        ("Sec-WebSocket-Protocol", subprotocols),
    ];
    let there = all.iter().filter(|(_, value)| *value != ".");
    there
        .map(|(name, value)| format!("{name}: {}\r\n", value.trim_start_matches('-')))
        .collect()
}

/// [MXP-19.2] [MXP-19.5]
#[tokio::test]
async fn handshakes_of_others_are_refused() {
    let listed = WebSocketOptions::new()
        .host("studio.example")
        .origin("https://studio.example")
        .token("abc-1");
    let cases = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/handshakes.txt");
    let cases = std::fs::read_to_string(cases).unwrap();
    for (name, options) in [("usual", WebSocketOptions::new()), ("listed", listed)] {
        let server = serve("mxp+ws://127.0.0.1:0/", options).await;
        for case in cases.lines() {
            let words: Vec<_> = case.split_whitespace().collect();
            if words.first() != Some(&name) {
                continue;
            }
            let headers = headers(words[1], words[2], words[3]);
            let (_, status, head) = shake(&place(&server), "/", &headers).await;
            assert_eq!(status.to_string(), words[4], "{case}: {head}");
            let head = head.to_lowercase();
            let is_open = head.contains("\r\nsec-websocket-protocol: mxp.1\r\n");
            assert_eq!(is_open, status == 101, "{case}: {head}");
            assert!(!head.contains("extensions"), "{case}: {head}");
        }
    }
}

/// A header that is there twice, or a host elsewhere than in one, is looked at, too. [MXP-19.5]
#[tokio::test]
async fn requests_that_mean_two_things_are_refused() {
    let server = serve("mxp+ws://127.0.0.1:0/", WebSocketOptions::new()).await;
    let at = place(&server);
    let good = headers(&at, ".", "mxp.1");
    for (path, more, status) in [
        ("/", headers(".", ".", "."), 101),
        ("/", headers("evil.example", ".", "."), 403),
        ("/", headers(".", "http://127.0.0.1", "."), 101),
        ("/", headers(".", ".", "mxp.0"), 101),
        ("/other", headers(".", ".", "."), 404),
        ("http://evil.example/", headers(".", ".", "."), 403),
    ] {
        let all = [good.clone(), more].concat();
        assert_eq!(shake(&at, path, &all).await.1, status, "{path} {all:?}");
    }
    let origins = headers(".", "http://127.0.0.1", ".");
    let two = [good, origins, headers(".", "http://evil.example", ".")];
    assert_eq!(shake(&at, "/", &two.concat()).await.1, 403);
}

/// [MXP-19.2]
#[tokio::test]
async fn handshakes_that_are_none_are_refused() {
    let server = serve("mxp+ws://127.0.0.1:0/", WebSocketOptions::new()).await;
    let at = place(&server);
    let good = headers(&at, ".", "mxp.1");
    let key = |key: &str| format!("Sec-WebSocket-Key: {key}\r\n");
    let usual = key("dGhlIHNhbXBsZSBub25jZQ==");
    for (more, status) in [
        (vec![usual.clone()], 101),
        (vec![usual.clone(), "Content-Length: 0\r\n".into()], 101),
        (vec![usual.clone(), "Content-Length: 10\r\n".into()], 400),
        (
            vec![usual.clone(), "Transfer-Encoding: chunked\r\n".into()],
            400,
        ),
        (vec![], 400),
        (vec![usual.clone(), usual], 400),
        (vec![key("dGhlIHNhbXBsZSBub25jZQ!!")], 400),
        (vec![key("dGhlIHNhbXBsZSBub25j")], 400),
        (vec![key("dGhlIHNhbXBsZSBub25jZQ")], 400),
        (vec![key("dGhlIHNhbXBsZSBub25jZR==")], 400),
    ] {
        let all = [more.clone(), good.clone()].concat();
        let (mut stream, came, _) = shake_with(&at, "/", &all).await;
        assert_eq!(came, status, "{more:?}");
        if status != 101 {
            let mut text = Vec::new();
            let end = tokio::time::timeout(LONG, stream.read_to_end(&mut text));
            assert!(end.await.is_ok(), "{more:?}");
        }
    }
}

#[test]
fn hosts_have_no_ports() {
    for bad in ["studio.example:443", "[::1]", ""] {
        let made = std::panic::catch_unwind(|| WebSocketOptions::new().host(bad));
        assert!(made.is_err(), "{bad:?}");
    }
    let _ = WebSocketOptions::new()
        .host("studio.example")
        .host("fe80::1");
}

/// [MXP-19.6]
#[tokio::test]
async fn pages_of_an_origin_have_few_connections() {
    let options = WebSocketOptions::new().origin_connections(2);
    let server = serve("mxp+ws://127.0.0.1:0/", options).await;
    let at = place(&server);
    let page = headers(&at, "http://127.0.0.1", "mxp.1");
    let (first, status, _) = shake(&at, "/", &page).await;
    assert_eq!(status, 101);
    let (_second, status, _) = shake(&at, "/", &page).await;
    assert_eq!(status, 101);
    assert_eq!(shake(&at, "/", &page).await.1, 429);
    let other = headers(&at, "http://127.0.0.1:1", "mxp.1");
    assert_eq!(shake(&at, "/", &other).await.1, 101);
    for _ in 0..3 {
        assert_eq!(shake(&at, "/", &headers(&at, ".", "mxp.1")).await.1, 101);
    }
    drop(first);
    let began = Instant::now();
    while shake(&at, "/", &page).await.1 != 101 {
        assert!(began.elapsed() < LONG, "its place is never free again");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A listener has one path, of any characters, and no other.
#[tokio::test]
async fn paths_are_taken_as_they_are() {
    for path in ["", "/", "/a/", "/{a}", "/a/../b", "/%7Ba", "/ä"] {
        let address = format!("mxp+ws://127.0.0.1:0{path}");
        let server = serve(&address, WebSocketOptions::new()).await;
        let at = server.address().to_string();
        assert!(
            at.ends_with(if path.is_empty() { "/" } else { path }),
            "{at}"
        );
        let client = Client::connect(&at).unwrap();
        assert_eq!(ask(&client, b"x").await.unwrap(), b"x", "{path}");
        let other = ClientOptions::new().connect_timeout(LONG * 60);
        let other = other.connect(&format!("{at}x")).unwrap();
        let failure = ask(&other, b"x").await.unwrap_err();
        assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
        assert!(
            failure
                .text
                .contains("404 Not Found: nothing is served here"),
            "{failure}"
        );
    }
}

/// A client shows the token, and says why it is not let in. [MXP-19.2] [MXP-19.5]
#[tokio::test]
async fn tokens_are_shown() {
    let options = || WebSocketOptions::new().token("s-3_cret");
    let server = serve("mxp+ws://127.0.0.1:0/a", options()).await;
    let at = server.address().to_string();
    let client = ClientOptions::new().websocket(options());
    let client = client.connect(&at).unwrap();
    assert_eq!(ask(&client, b"x").await.unwrap(), b"x");
    let client = ClientOptions::new().connect_timeout(LONG * 60);
    let failure = ask(&client.connect(&at).unwrap(), b"x").await.unwrap_err();
    assert_eq!(failure.status, Status::UNAUTHENTICATED, "{failure}");
    assert!(
        failure.text.contains("the token is missing, or another"),
        "{failure}"
    );
    assert!(!format!("{:?}", options()).contains("cret"));
    for bad in ["", "a b", "ä", &"a".repeat(257)] {
        let made = std::panic::catch_unwind(|| WebSocketOptions::new().token(bad));
        assert!(made.is_err(), "{bad:?}");
    }
}

/// Listens, and answers each request by a text.
async fn answering(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = format!("mxp+ws://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 4096];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    at
}

/// [MXP-14.2] [MXP-19.2]
#[tokio::test]
async fn what_answers_otherwise_is_no_server() {
    let wrong = Status::FAILED_PRECONDITION;
    for (answer, status, text) in [
        (
            "401 Unauthorized\r\n\r\n",
            Status::UNAUTHENTICATED,
            "the server answers 401",
        ),
        (
            "403 Forbidden\r\n\r\n",
            Status::PERMISSION_DENIED,
            "the server answers 403",
        ),
        (
            "404 Not Found\r\nContent-Type: text/plain\r\n\r\nno such thing\n",
            wrong,
            "404 Not Found: no such thing",
        ),
        (
            "404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>",
            wrong,
            "404 Not Found",
        ),
        (
            "302 Found\r\nLocation: /other\r\n\r\n",
            wrong,
            "the server answers 302",
        ),
        ("200 OK\r\n\r\n", wrong, "the server answers 200"),
        (
            "101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            wrong,
            "Key mismatch",
        ),
        (
            "429 Too Many Requests\r\n\r\n",
            Status::UNAVAILABLE,
            "the server answers 429",
        ),
        (
            "503 Service Unavailable\r\n\r\n",
            Status::UNAVAILABLE,
            "the server answers 503",
        ),
    ] {
        let answer = format!("HTTP/1.1 {answer}").leak();
        let at = answering(answer).await;
        // A final failure has to come at once, or the test does not end.
        let is_final = status != Status::UNAVAILABLE;
        let patience = if is_final { LONG * 60 } else { LONG / 300 };
        let client = ClientOptions::new().connect_timeout(patience);
        let failure = ask(&client.connect(&at).unwrap(), b"x").await.unwrap_err();
        assert_eq!(failure.status, status, "{answer}: {failure}");
        assert_eq!(failure.name, "not_connected", "{answer}: {failure}");
        assert!(failure.text.contains(text), "{answer}: {failure}");
        assert!(!failure.text.contains('<'), "{answer}: {failure}");
        assert!(!failure.acted, "{answer}: {failure}");
    }
}

/// A server that opens a WebSocket, and says that it is for something else.
#[tokio::test]
async fn the_subprotocol_has_to_be_named() {
    use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
    for (line, text) in [
        ("", "the server does not speak mxp.1 there"),
        (
            "Sec-WebSocket-Protocol: chat\r\n",
            "the server does not speak mxp.1 there",
        ),
        (
            "Sec-WebSocket-Protocol: mxp.token.t\r\n",
            "the server does not speak mxp.1 there",
        ),
        (
            "Sec-WebSocket-Protocol: mxp.1\r\nSec-WebSocket-Extensions: permessage-deflate\r\n",
            "uses an extension",
        ),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let at = format!("mxp+ws://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = vec![0; 4096];
            let n = stream.read(&mut request).await.unwrap();
            let request = String::from_utf8(request[..n].to_vec()).unwrap();
            let key = request.split("Sec-WebSocket-Key: ").nth(1).unwrap();
            let key = derive_accept_key(key.split("\r\n").next().unwrap().as_bytes());
            let answer = format!(
                "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\n\
                 Upgrade: websocket\r\nSec-WebSocket-Accept: {key}\r\n{line}\r\n"
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        });
        let options = WebSocketOptions::new().token("t");
        let client = ClientOptions::new().connect_timeout(LONG * 60);
        let client = client.websocket(options).connect(&at).unwrap();
        let failure = ask(&client, b"x").await.unwrap_err();
        assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
        assert!(failure.text.contains(text), "{failure}");
    }
}

/// [MXP-16.1] [MXP-19.1]
#[tokio::test]
async fn texts_that_are_no_place_are_refused() {
    let address: Address = "mxp+ws://[::1]:7000/a".parse().unwrap();
    assert_eq!(address.to_string(), "mxp+ws://[::1]:7000/a");
    for text in [
        "mxp+ws://",
        "mxp+ws://host",
        "mxp+ws:///path",
        "mxp+wss://host:port",
        "mxp+ws://h:1/a?token=x",
        "mxp+ws://h:1/%zz",
        "mxp+ws://h:1/a\n",
    ] {
        let error = Client::connect(text).unwrap_err();
        let failure = error.get_ref().and_then(|inner| inner.downcast_ref());
        let failure: &Failure = failure.expect("a failure");
        assert_eq!(failure.name, Kind::AddressInvalid.as_str(), "{failure}");
        assert!(
            failure.text.contains("mxp+ws://host:port/path"),
            "{failure}"
        );
    }
}

/// `mxp+wss` needs TLS on both sides, and names of either order reach it.
#[tokio::test]
async fn wss_needs_tls() {
    let error = Server::new()
        .listen("mxp+wss://127.0.0.1:0")
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("TLS is not configured"),
        "{error}"
    );
    let client = ClientOptions::new().connect_timeout(LONG * 60);
    let client = client.connect("mxp+wss://127.0.0.1:1/").unwrap();
    let failure = ask(&client, b"x").await.unwrap_err();
    assert_eq!(failure.status, Status::FAILED_PRECONDITION, "{failure}");
}

/// A peer that asks for nothing is not waited for longer than for a Hello. [MXP-14.2] [MXP-16.5]
#[tokio::test]
async fn handshakes_have_a_time() {
    use mxp::session::Limits;
    let limits = Limits {
        hello_us: 100_000,
        ..Limits::default()
    };
    let server = Server::new().limits(limits);
    let server = server.listen("mxp+ws://127.0.0.1:0/").await.unwrap();
    let mut silent = TcpStream::connect(place(&server)).await.unwrap();
    silent.write_all(b"GET / HTTP/1.1\r\n").await.unwrap();
    let read = tokio::time::timeout(LONG, silent.read_u8()).await;
    assert!(read.expect("it is closed").is_err());
}
