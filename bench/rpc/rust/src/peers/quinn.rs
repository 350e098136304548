//! quinn: QUIC, where each call is a stream of its own.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use quinn::{
    ClientConfig, Connection, Endpoint, Incoming, RecvStream, SendStream, ServerConfig,
    TransportConfig, VarInt,
};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::RootCertStore;
use tokio::task::JoinHandle;

use super::ready;
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::flows::{self, Flow};
use crate::plan::{Kind, Payload, Plan, Record, Until};
use crate::Flaw;

/// A certificate for 127.0.0.1 that signs itself, and its key, from MXP's tests.
const CERTIFICATE: &[u8] = include_bytes!("../../../../../mxp/rust/tests/net/certificate.pem");
const KEY: &[u8] = include_bytes!("../../../../../mxp/rust/tests/net/key.pem");

/// The length of a call at most.
const CALL_BYTES: usize = 1 << 20;

/// The bytes that are read of a stream at once.
const READ_BYTES: usize = 64 << 10;

/// The first byte of a stream that goes on: its bytes are given back as they come.
const GOES_ON: u8 = 1;
/// The first byte of a stream that is one call.
const IS_CALL: u8 = 0;

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let certificate = CertificateDer::from_pem_slice(CERTIFICATE)?;
    let mut config =
        ServerConfig::with_single_cert(vec![certificate], PrivateKeyDer::from_pem_slice(KEY)?)?;
    config.transport_config(transport());
    let endpoint = Endpoint::server(config, address.port()?)?;
    ready(&Address::Tcp(endpoint.local_addr()?));
    while let Some(incoming) = endpoint.accept().await {
        tokio::spawn(answer(incoming));
    }
    Ok(())
}

/// As many streams at once as calls may be in flight.
fn transport() -> Arc<TransportConfig> {
    let mut config = TransportConfig::default();
    config.max_concurrent_bidi_streams(VarInt::from_u32(1024));
    Arc::new(config)
}

async fn answer(incoming: Incoming) -> Result<(), Flaw> {
    let connection = incoming.await?;
    while let Ok((sender, receiver)) = connection.accept_bi().await {
        tokio::spawn(echo(sender, receiver));
    }
    Ok(())
}

async fn echo(mut sender: SendStream, mut receiver: RecvStream) -> Result<(), Flaw> {
    let mut first = [0];
    receiver.read_exact(&mut first).await?;
    if first[0] == IS_CALL {
        let call = receiver.read_to_end(CALL_BYTES).await?;
        sender.write_chunk(call.into()).await?;
    } else {
        while let Some(chunk) = receiver.read_chunk(READ_BYTES, true).await? {
            sender.write_chunk(chunk.bytes).await?;
        }
    }
    Ok(sender.finish()?)
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(CERTIFICATE)?)?;
    let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
    config.transport_config(transport());
    let mut endpoint = Endpoint::client(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
    endpoint.set_default_client_config(config);
    let at = address.port()?;
    let connect = || async { Ok::<_, Flaw>(endpoint.connect(at, "127.0.0.1")?.await?) };
    match plan.kind {
        Kind::Call => calls::run(plan, || async { Ok(Calls(connect().await?)) }).await,
        Kind::Both => flows::run(plan, Both(connect().await?)).await,
        Kind::Event | Kind::Up => Err(super::no_such_kind(plan)),
    }
}

struct Calls(Connection);

impl Caller for Calls {
    fn another(&self) -> Option<Self> {
        Some(Self(self.0.clone()))
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        let (mut sender, mut receiver) = self.0.open_bi().await?;
        sender.write_all(&[IS_CALL]).await?;
        sender.write_chunk(payload.bytes.clone()).await?;
        sender.finish()?;
        payload.look(&receiver.read_to_end(CALL_BYTES).await?)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::spawn(work.run())
    }
}

/// One stream. A message is as many bytes as the payload has.
struct Both(Connection);

impl Flow for Both {
    async fn flow(&mut self, payload: &Payload, mut until: Until) -> Result<u64, Flaw> {
        let (mut sender, mut receiver) = self.0.open_bi().await?;
        let given = payload.bytes.clone();
        let work = tokio::spawn(async move {
            sender.write_all(&[GOES_ON]).await?;
            let mut sent = 0;
            while until.more() {
                sender.write_chunk(given.clone()).await?;
                sent += 1;
            }
            sender.finish()?;
            Ok::<u64, Flaw>(sent)
        });
        let mut reply = vec![0; payload.bytes.len()];
        let mut came = 0;
        while receiver.read_exact(&mut reply).await.is_ok() {
            payload.look(&reply)?;
            came += 1;
        }
        let all = work.await??;
        flows::compare(all, came)?;
        Ok(all + came)
    }
}
