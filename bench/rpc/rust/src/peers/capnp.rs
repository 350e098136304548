//! capnp-rpc: Cap'n Proto's calls, whose futures stay on one thread.

use capnp::capability::Rc;
use capnp_rpc::rpc_twoparty_capnp::Side;
use capnp_rpc::twoparty::VatNetwork;
use capnp_rpc::RpcSystem;
use futures_util::io::{BufReader, BufWriter};
use tokio::net::UnixStream;
use tokio::task::JoinHandle;
use tokio_util::compat::{TokioAsyncReadCompatExt as _, TokioAsyncWriteCompatExt as _};

use super::{connect_unix, listen_unix};
use crate::address::Address;
use crate::calls::{self, Caller, Done, Work};
use crate::generated::echo_capnp::echo;
use crate::plan::{Kind, Payload, Plan, Record};
use crate::Flaw;

pub async fn serve(address: &Address) -> Result<(), Flaw> {
    let listener = listen_unix(address).await?;
    let echo: echo::Client = capnp_rpc::new_client(Serving);
    loop {
        let (stream, _) = listener.accept().await?;
        let system = RpcSystem::new(
            Box::new(network(stream, Side::Server)),
            Some(echo.clone().client),
        );
        tokio::task::spawn_local(system);
    }
}

fn network(stream: UnixStream, side: Side) -> VatNetwork<impl futures_util::AsyncRead + Unpin> {
    let (input, output) = stream.into_split();
    let (input, output) = (input.compat(), output.compat_write());
    VatNetwork::new(
        BufReader::new(input),
        BufWriter::new(output),
        side,
        capnp::message::ReaderOptions::new(),
    )
}

struct Serving;

impl echo::Server for Serving {
    async fn call(
        self: Rc<Self>,
        asked: echo::CallParams,
        mut answer: echo::CallResults,
    ) -> Result<(), capnp::Error> {
        let data = asked.get()?.get_payload()?.get_data()?;
        answer.get().init_payload().set_data(data);
        Ok(())
    }
}

pub async fn call(address: &Address, plan: &Plan) -> Result<Record, Flaw> {
    if plan.kind != Kind::Call {
        return Err(super::no_such_kind(plan));
    }
    calls::run(plan, || async {
        let stream = connect_unix(address).await?;
        let mut system = RpcSystem::new(Box::new(network(stream, Side::Client)), None);
        let client: echo::Client = system.bootstrap(Side::Server);
        tokio::task::spawn_local(system);
        Ok(Calls(client))
    })
    .await
}

struct Calls(echo::Client);

impl Caller for Calls {
    fn another(&self) -> Option<Self> {
        Some(Self(self.0.clone()))
    }

    async fn call(&mut self, payload: &Payload) -> Result<(), Flaw> {
        let mut request = self.0.call_request();
        request.get().init_payload().set_data(&payload.bytes);
        let reply = request.send().promise.await?;
        payload.look(reply.get()?.get_payload()?.get_data()?)
    }

    fn spawn(work: Work<Self>) -> JoinHandle<Done<Self>> {
        tokio::task::spawn_local(work.run())
    }
}
