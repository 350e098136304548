//! A file for each peer, which is used in the way that is best for it.

mod axum;
mod capnp;
mod floor;
mod hyper;
#[cfg(feature = "sdp")]
mod mxp;
#[cfg(feature = "sdp")]
mod mxp_batch;
#[cfg(feature = "sdp")]
mod mxp_blocking;
#[cfg(feature = "sdp")]
mod mxp_stub;
mod quinn;
mod tarpc;
mod tonic;
mod tungstenite;

use std::future::Future;

use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

use crate::address::Address;
use crate::plan::{Plan, Record};
use crate::Flaw;

/// Serves until the process ends.
pub fn serve(peer: &str, address: &Address) -> Result<(), Flaw> {
    match peer {
        #[cfg(feature = "sdp")]
        "mxp" | "mxp-blocking" => on_one_thread(mxp::serve(address)),
        #[cfg(feature = "sdp")]
        "mxp-batch" => on_one_thread(mxp_batch::serve(address)),
        #[cfg(feature = "sdp")]
        "mxp-stub" => on_one_thread(mxp_stub::serve(address)),
        "floor-blocking" => floor::serve_blocking(address),
        "floor-tokio" => on_one_thread(floor::serve(address)),
        "reqwest" => on_one_thread(axum::serve(address)),
        "hyper" => on_one_thread(hyper::serve(address)),
        "tonic" => on_one_thread(tonic::serve(address, tonic::Way::AsItIs)),
        "tonic-channel" => on_one_thread(tonic::serve(address, tonic::Way::Channel)),
        "tungstenite" => on_one_thread(tungstenite::serve(address)),
        "quinn" => on_one_thread(quinn::serve(address)),
        "capnp" => on_one_thread(capnp::serve(address)),
        "tarpc" => on_one_thread(tarpc::serve(address)),
        _ => Err(unknown(peer)),
    }
}

/// Does what the plan says with a server of the peer.
pub fn call(peer: &str, address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    match peer {
        #[cfg(feature = "sdp")]
        "mxp" => on_one_thread(mxp::call(address, plan)),
        #[cfg(feature = "sdp")]
        "mxp-batch" => on_one_thread(mxp_batch::call(address, plan)),
        #[cfg(feature = "sdp")]
        "mxp-blocking" => mxp_blocking::call(address, plan),
        #[cfg(feature = "sdp")]
        "mxp-stub" => on_one_thread(mxp_stub::call(address, plan)),
        "floor-blocking" => floor::call_blocking(address, plan),
        "floor-tokio" => on_one_thread(floor::call(address, plan)),
        "reqwest" => on_one_thread(axum::call(address, plan)),
        "hyper" => on_one_thread(hyper::call(address, plan)),
        "tonic" => on_one_thread(tonic::call(address, plan, tonic::Way::AsItIs)),
        "tonic-channel" => on_one_thread(tonic::call(address, plan, tonic::Way::Channel)),
        "tungstenite" => on_one_thread(tungstenite::call(address, plan)),
        "quinn" => on_one_thread(quinn::call(address, plan)),
        "capnp" => on_one_thread(capnp::call(address, plan)),
        "tarpc" => on_one_thread(tarpc::call(address, plan)),
        _ => Err(unknown(peer)),
    }
}

fn unknown(peer: &str) -> Flaw {
    format!("{peer}: no such peer in this program").into()
}

/// Why a plan can't be done with a peer.
fn no_such_kind(plan: &Plan) -> Flaw {
    format!("this peer has no {:?}", plan.kind).into()
}

/// Each process has one core at most, so that more threads would only be in each other's way.
fn on_one_thread<T>(what: impl Future<Output = Result<T, Flaw>>) -> Result<T, Flaw> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    tokio::task::LocalSet::new().block_on(&runtime, what)
}

/// Says that there is somebody to be called.
fn ready(address: &Address) {
    println!("ready {address}");
}

async fn listen_unix(address: &Address) -> Result<UnixListener, Flaw> {
    let listener = UnixListener::bind(address.path()?)?;
    ready(address);
    Ok(listener)
}

async fn listen_tcp(address: &Address) -> Result<TcpListener, Flaw> {
    let listener = TcpListener::bind(address.port()?).await?;
    ready(&Address::Tcp(listener.local_addr()?));
    Ok(listener)
}

async fn connect_unix(address: &Address) -> Result<UnixStream, Flaw> {
    Ok(UnixStream::connect(address.path()?).await?)
}

async fn connect_tcp(address: &Address) -> Result<TcpStream, Flaw> {
    let stream = TcpStream::connect(address.port()?).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
