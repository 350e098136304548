//! The server.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use mxp::net::typed::{Context, Receiver, Sender};
use mxp::net::{Failure, Next, Reply, Request, Server};
use mxp::session::Status;
use tokio::signal::unix::{signal, SignalKind};

use crate::mixer::{Gain, Range};
use crate::mixer_service::{mixer_service, Mixer};
use crate::Error;

/// Serves a desk until it is told to end; then it lets what is in flight end.
pub(crate) async fn serve(address: &str) -> Result<(), Error> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let server = Server::new()
        .service(mixer_service(Arc::new(Desk::default())))
        .intercept(guard);
    let listening = server.listen(address).await?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
    listening.drain("the server ends").await;
    Ok(())
}

/// Lets nobody in who doesn't say who it is.
async fn guard(request: Request, next: Next) -> Result<Reply, Failure> {
    if request.metadata.iter().any(|(key, _)| key == "user") {
        return next.run(request).await;
    }
    Err(Failure::new(Status::UNAUTHENTICATED, "who_are_you", "").refused())
}

/// A mixing desk. Its methods are called by several connections.
#[derive(Default)]
struct Desk {
    gains: Mutex<[f32; 8]>,
}

impl Desk {
    /// Does something with the gain of a channel.
    fn with<T>(&self, channel: u32, act: impl FnOnce(&mut f32) -> T) -> Result<T, Failure> {
        let mut gains = self.gains.lock().unwrap_or_else(PoisonError::into_inner);
        let gain = usize::try_from(channel).ok().and_then(|i| gains.get_mut(i));
        let unknown = || Failure::new(Status::NOT_FOUND, "no_such_channel", "").refused();
        gain.map(act).ok_or_else(unknown)
    }

    fn get(&self, channel: u32) -> Result<Gain, Failure> {
        let decibels = self.with(channel, |gain| *gain)?;
        Ok(Gain::new().with_channel(channel).with_decibels(decibels))
    }

    fn set(&self, to: &Gain) -> Result<(), Failure> {
        self.with(to.channel, |gain| *gain = to.decibels)
    }
}

impl Mixer for Desk {
    async fn gain(&self, asked: Gain, _: Context) -> Result<Gain, Failure> {
        self.get(asked.channel)
    }

    async fn list(&self, channels: Range, to: Sender<Gain>, _: Context) -> Result<(), Failure> {
        for channel in channels.first..=channels.last {
            to.send(&self.get(channel)?).await?;
        }
        Ok(())
    }

    async fn fade(&self, mut steps: Receiver<Gain>, _: Context) -> Result<Gain, Failure> {
        let mut last = Gain::new();
        while let Some(step) = steps.receive().await? {
            self.set(&step)?;
            last = step;
        }
        Ok(last)
    }

    async fn ride(
        &self,
        mut asked: Receiver<Gain>,
        told: Sender<Gain>,
        _: Context,
    ) -> Result<(), Failure> {
        while let Some(gain) = asked.receive().await? {
            self.set(&gain)?;
            told.send(&gain).await?;
        }
        Ok(())
    }

    async fn muted(&self, muted: Gain, _: Context) -> Result<(), Failure> {
        // A client that asks for the acknowledgement waits.
        tokio::time::sleep(Duration::from_millis(10)).await;
        self.set(&muted.with_decibels(-96.0))
    }
}
