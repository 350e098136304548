//! The client.

use std::error::Error;
use std::time::Duration;

use mxp::net::{Client, Failure, Options};

use crate::{method, tls, SERVICE};

/// Calls a method, and prints the answer.
pub async fn call(address: &str, method: &str, text: &str, ms: &str) -> Result<(), Box<dyn Error>> {
    let client = tls::client(address)?;
    let deadline = Duration::from_millis(ms.parse()?);
    let options = Options::new().with_deadline(deadline);
    let value = text.as_bytes().to_vec();
    let reply = client
        .call(SERVICE, method.parse()?, value, &options)
        .await?;
    println!("{}", String::from_utf8_lossy(&reply.value));
    Ok(())
}

/// Sends words, and prints what comes back for each.
pub async fn stream(client: &Client, words: &[&str]) -> Result<(), Box<dyn Error>> {
    let options = options();
    let opened = client.open(SERVICE, method::UPPER, vec![], &options);
    let stream = opened.await?;
    let (sender, mut receiver) = (stream.sender, stream.receiver);
    let send = async {
        for word in words {
            sender.send(word.as_bytes().to_vec()).await?;
        }
        sender.finish()
    };
    let print = async {
        while let Some(chunk) = receiver.receive().await? {
            println!("{}", String::from_utf8_lossy(&chunk));
        }
        Ok::<(), Failure>(())
    };
    let (all_sent, all_printed) = tokio::join!(send, print);
    all_sent?;
    all_printed?;
    Ok(())
}

/// Sends an event, and prints how many there were when it was taken.
pub async fn event(client: &Client, text: &str) -> Result<(), Box<dyn Error>> {
    let value = text.as_bytes().to_vec();
    let options = options();
    let told = client.event_acked(SERVICE, method::TICK, value, &options);
    told.await?;
    let reply = client
        .call(SERVICE, method::COUNT, vec![], &options)
        .await?;
    let count = <[u8; 8]>::try_from(&reply.value[..])?;
    println!("{}", u64::from_le_bytes(count));
    Ok(())
}

fn options() -> Options {
    Options::new().with_deadline(Duration::from_secs(5))
}
