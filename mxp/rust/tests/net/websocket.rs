//! Connections over WebSocket.

use std::time::{Duration, Instant};

use mxp::net::transport::WebSocketOptions;
use mxp::net::{
    Address, Client, ClientOptions, Failure, Options, Reply, Server, ServerHandle, Service,
};
use mxp::session::{Kind, Status};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

mod ends;
mod handshakes;

const LONG: Duration = Duration::from_secs(60);

/// A server of echoes.
async fn serve(address: &str, options: WebSocketOptions) -> ServerHandle {
    let echo = Service::new("demo.Echo")
        .call(1, |request| async move { Ok(Reply::new(request.value)) })
        .call(2, |request| async move {
            let transport = format!("{:?}", request.peer().transport);
            Ok(Reply::new(transport.into_bytes()))
        });
    let server = Server::new().service(echo).websocket(options);
    server.listen(address).await.unwrap()
}

/// The host and the port of a server, or of a listener in its place.
fn place(server: &ServerHandle) -> String {
    let address = server.address().to_string();
    let place = address.strip_prefix("mxp+ws://").unwrap();
    place.split('/').next().unwrap().to_owned()
}

async fn ask(client: &Client, value: &[u8]) -> Result<Vec<u8>, Failure> {
    let options = Options::new().with_deadline(LONG);
    let reply = client
        .call("demo.Echo", 1, value.to_vec(), &options)
        .await?;
    Ok(reply.value.to_vec())
}
