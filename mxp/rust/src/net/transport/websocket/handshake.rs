//! The handshakes of both sides [MXP-19.2].

use std::borrow::ToOwned as _;
use std::boxed::Box;
use std::format;
use std::io;
use std::string::String;

use tokio::io::AsyncWriteExt as _;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::handshake::server::{
    Callback, ErrorResponse, Request, Response,
};
use tokio_tungstenite::tungstenite::http::header::{
    HeaderValue, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, SEC_WEBSOCKET_EXTENSIONS,
    SEC_WEBSOCKET_PROTOCOL,
};
use tokio_tungstenite::tungstenite::http::{self, StatusCode};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::{accept_hdr_async_with_config, client_async_with_config, WebSocketStream};

use super::admission::{Admission, OriginSlot, Refusal};
use super::cut::Cut;
use super::head::Head;
use super::messages::Messages;
use super::options::WebSocketOptions;
use super::place::{escaped, split};
use super::protocol::{config, PROTOCOL, TOKEN_PREFIX};
use crate::engine::outage::{unavailable, unusable};
use crate::net::failure::failed;
use crate::net::transport::Socket;
use crate::net::Failure;
use crate::session::Status;

/// The answer to a request that asks for no WebSocket, or wrongly.
const NO_HANDSHAKE: &[u8] = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\
    Content-Length: 33\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n\
    this is no handshake of RFC 6455\n";

/// How many bytes of an answer's text a failure has.
const TEXT_BYTES: usize = 256;

/// Asks for a WebSocket at a place.
pub(super) async fn open(
    socket: Box<dyn Socket>,
    place: &str,
    options: &WebSocketOptions,
) -> Result<Messages, Failure> {
    let (at, path) = split(place);
    let mut asked = PROTOCOL.to_owned();
    if let Some(token) = &options.token {
        asked = format!("{asked}, {TOKEN_PREFIX}{token}");
    }
    // The scheme is that of the request alone: the socket is protected already, where it is.
    let request = format!("ws://{at}{}", escaped(path)).into_client_request();
    let mut request = request.map_err(refused)?;
    let asked = HeaderValue::try_from(asked).map_err(|error| unusable(format!("{error}")))?;
    request.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, asked);
    let socket = Cut::new(socket, Head::of_answer());
    let opened = client_async_with_config(request, socket, Some(config())).await;
    let (socket, answer) = opened.map_err(refused)?;
    let headers = answer.headers();
    let speaks = headers.get(SEC_WEBSOCKET_PROTOCOL);
    if speaks.map_or(true, |protocol| protocol != PROTOCOL) {
        return Err(speaks_not());
    }
    if headers.contains_key(SEC_WEBSOCKET_EXTENSIONS) {
        return Err(unusable(
            "the server uses an extension that it was not asked for",
        ));
    }
    Ok(Messages::new(socket, None))
}

fn speaks_not() -> Failure {
    unusable("the server does not speak mxp.1 there")
}

/// Why a handshake has opened no WebSocket.
fn refused(error: Error) -> Failure {
    match error {
        Error::Http(answer) => answered(&answer),
        Error::Protocol(ProtocolError::SecWebSocketSubProtocolError(_)) => speaks_not(),
        Error::Io(error) => failed(&error), // TLS 1.3 refuses a client that has asked already
        Error::Protocol(ProtocolError::HandshakeIncomplete | ProtocolError::HttparseError(_)) => {
            unavailable(format!("{error}"))
        }
        _ => unusable(format!("{error}")),
    }
}

/// The failure of an answer that opens no WebSocket.
fn answered(answer: &http::Response<Option<std::vec::Vec<u8>>>) -> Failure {
    let mut text = format!("the server answers {}", answer.status());
    let is_text = answer.headers().get(CONTENT_TYPE);
    if is_text.is_some_and(|kind| kind.as_bytes().starts_with(b"text/plain")) {
        let why = answer.body().as_deref().unwrap_or_default();
        let why = String::from_utf8_lossy(&why[..why.len().min(TEXT_BYTES)]);
        let why = why.trim();
        if !why.is_empty() {
            text = format!("{text}: {why}");
        }
    }
    let mut failure = unusable(text);
    failure.status = match answer.status() {
        StatusCode::UNAUTHORIZED => Status::UNAUTHENTICATED,
        StatusCode::FORBIDDEN => Status::PERMISSION_DENIED,
        StatusCode::TOO_MANY_REQUESTS => Status::UNAVAILABLE,
        other if other.is_server_error() => Status::UNAVAILABLE,
        _ => Status::FAILED_PRECONDITION,
    };
    failure
}

/// Answers who asks for a WebSocket.
pub(super) async fn accept(socket: Box<dyn Socket>, admission: &Admission) -> io::Result<Messages> {
    let mut admitted = None;
    let answers = Answers {
        admission,
        admitted: &mut admitted,
    };
    let mut socket = Cut::new(socket, Head::of_request());
    let accepted = accept_hdr_async_with_config(&mut socket, answers, Some(config())).await;
    match accepted {
        Ok(_) => {}
        Err(Error::Io(error)) => return Err(error),
        Err(error) => {
            // A refusal is written already, and one that has no end is answered by nobody.
            if !matches!(
                error,
                Error::Http(_) | Error::Protocol(ProtocolError::HandshakeIncomplete)
            ) {
                socket.write_all(NO_HANDSHAKE).await?;
            }
            return Err(io::Error::other(error));
        }
    }
    // No received bytes are kept: no frames go with the head of a request.
    let socket = WebSocketStream::from_raw_socket(socket, Role::Server, Some(config())).await;
    Ok(Messages::new(socket, admitted))
}

/// The answer to a request, and the place of a connection that is let in.
struct Answers<'a> {
    admission: &'a Admission,
    admitted: &'a mut Option<OriginSlot>,
}

impl Callback for Answers<'_> {
    fn on_request(
        self,
        request: &Request,
        mut response: Response,
    ) -> Result<Response, ErrorResponse> {
        *self.admitted = Some(self.admission.admit(request).map_err(answer)?);
        let headers = response.headers_mut();
        headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(PROTOCOL));
        Ok(response)
    }
}

/// The answer that refuses a request.
fn answer(refusal: Refusal) -> ErrorResponse {
    let text = format!("{}\n", refusal.why);
    let mut headers = http::HeaderMap::new();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    headers.insert(CONTENT_LENGTH, text.len().into());
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    headers.insert(CONTENT_TYPE, kind);
    let mut answer = ErrorResponse::new(Some(text));
    *answer.status_mut() = refusal.status;
    *answer.headers_mut() = headers;
    answer
}
