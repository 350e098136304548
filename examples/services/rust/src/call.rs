//! The client.

use std::time::Duration;

use mxp::net::{ClientOptions, Failure, Next, Options, Reply, Request};

use crate::mixer::{Gain, Range};
use crate::mixer_service::MixerClient;
use crate::Error;

/// Asks a desk for everything.
pub(crate) async fn call(address: &str) -> Result<(), Error> {
    let options = ClientOptions::new()
        .types(MixerClient::types()) // a schema that differs is found before the first call
        .intercept(introduce);
    let desk = MixerClient::new(options.connect(address)?);
    // The server knows the deadline too.
    let desk = desk.with(Options::new().with_deadline(Duration::from_secs(10)));
    fade(&desk).await?;
    ride(&desk).await?;
    mute(&desk).await?;
    list(&desk).await?;
    fail(&desk).await
}

/// Says with every request who makes it.
async fn introduce(mut request: Request, next: Next) -> Result<Reply, Failure> {
    request.metadata.push(("user".into(), "example".into()));
    next.run(request).await
}

async fn fade(desk: &MixerClient) -> Result<(), Error> {
    let steps = desk.fade().await?;
    for step in [0.0, -3.0, -6.0, -9.0] {
        let gain = Gain::new().with_channel(1).with_decibels(step);
        if steps.send(&gain).await.is_err() {
            break; // finish says why
        }
    }
    println!("faded to {}", steps.finish().await?.decibels);
    Ok(())
}

async fn ride(desk: &MixerClient) -> Result<(), Error> {
    let mut talk = desk.ride().await?;
    for decibels in [-6.0, -3.0, 0.0] {
        let gain = Gain::new().with_channel(2).with_decibels(decibels);
        talk.send(&gain).await?;
        let gain = talk.receive().await?.ok_or("the desk says no more")?;
        println!("channel 2 is at {}", gain.decibels);
    }
    Ok(talk.finish()?)
}

async fn mute(desk: &MixerClient) -> Result<(), Error> {
    // Returns when it was taken.
    Ok(desk.muted_acked(&Gain::new().with_channel(3)).await?)
}

async fn list(desk: &MixerClient) -> Result<(), Error> {
    let mut gains = desk.list(&Range { first: 0, last: 7 }).await?;
    while let Some(gain) = gains.receive().await? {
        println!("channel {} has {}", gain.channel, gain.decibels);
        if gain.channel == 3 {
            break; // ends the stream, as nobody has it any more
        }
    }
    Ok(())
}

async fn fail(desk: &MixerClient) -> Result<(), Error> {
    let Err(failure) = desk.gain(&Gain::new().with_channel(99)).await else {
        return Err("there is a channel 99".into());
    };
    println!(
        "channel 99: {}, status {}, may have acted: {}",
        failure.name, failure.status.0, failure.acted
    );
    Ok(())
}
