//! Channels of MXP, by generated code.

use std::sync::mpsc;
use std::time::Duration;

use mxp::net::channel::{Channel, ChannelOptions};
use mxp::net::typed::{Fixed, Method};
use mxp::net::Server;

use crate::generated::frames::{Large, Medium, Small};
use crate::generated::frames_service::{EchoClient, Wire};
use crate::measure::Times;
use crate::rows::{Row, MEDIUM, SMALL};
use crate::{ready, Outcome};

/// Longer than anything here takes.
const LONG: Duration = Duration::from_secs(10);

fn options(row: &Row) -> ChannelOptions {
    let options = ChannelOptions::new().capacity(4);
    if row.sleeps {
        return options.spin(Duration::ZERO);
    }
    options
}

/// A value of some size.
trait Frame: Default + Send + 'static {
    fn set(&mut self, n: u64);
    fn sequence(&self) -> (u64, bool);
}

macro_rules! frame {
    ($of:ty) => {
        impl Frame for $of {
            fn set(&mut self, n: u64) {
                (self.sequence, self.is_on) = (n, n % 2 == 0);
            }

            fn sequence(&self) -> (u64, bool) {
                (self.sequence, self.is_on)
            }
        }
    };
}

frame!(Small);
frame!(Medium);
frame!(Large);

pub fn ask(row: &Row, place: &str, times: &mut Times) -> Outcome<()> {
    match row.bytes {
        SMALL => ask_of(EchoClient::SMALL, row, place, times),
        MEDIUM => ask_of(EchoClient::MEDIUM, row, place, times),
        _ => ask_of(EchoClient::LARGE, row, place, times),
    }
}

pub fn serve(row: &Row, place: &str) -> Outcome<()> {
    match row.bytes {
        SMALL => serve_of(EchoClient::SMALL, row, place),
        MEDIUM => serve_of(EchoClient::MEDIUM, row, place),
        _ => serve_of(EchoClient::LARGE, row, place),
    }
}

/// A channel of the smallest values.
pub fn open_small(row: &Row, place: &str) -> Outcome<Channel<Small, Small, Wire>> {
    let address = format!("mxp+shm://{place}");
    Ok(EchoClient::SMALL.open_channel(&address, &options(row))?)
}

fn ask_of<T: Frame>(
    method: Method<T, T, Wire>,
    row: &Row,
    place: &str,
    times: &mut Times,
) -> Outcome<()>
where
    Wire: Fixed<T>,
{
    let address = format!("mxp+shm://{place}");
    let Channel {
        mut sender,
        mut receiver,
    } = method.open_channel(&address, &options(row))?;
    let (mut value, mut answer) = (T::default(), T::default());
    times.take(|n| {
        value.set(n);
        sender.send(&value)?;
        if row.sleeps {
            sender.wake();
            receiver.wait(LONG);
        }
        while !receiver.receive_into(&mut answer)? {}
        if answer.sequence() != (n, n % 2 == 0) {
            return Err("another value came back".into());
        }
        Ok(())
    })
}

fn serve_of<T: Frame>(method: Method<T, T, Wire>, row: &Row, place: &str) -> Outcome<()>
where
    Wire: Fixed<T>,
{
    let (opened, come) = mpsc::channel();
    let server = Server::new().channel(&method, &options(row), move |channel, _| {
        let _ = opened.send(channel);
    });
    let address = format!("mxp+shm://{place}");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let Ok(runtime) = runtime else { return };
        runtime.block_on(async {
            let listening = server.listen(&address).await;
            if listening.is_ok() && ready().is_ok() {
                std::future::pending::<()>().await;
            }
        });
    });
    let Channel {
        mut sender,
        mut receiver,
    } = come.recv()?;
    let mut value = T::default();
    loop {
        if row.sleeps {
            receiver.wait(LONG);
        }
        // The asking process ends the channel.
        let Ok(is_there) = receiver.receive_into(&mut value) else {
            return Ok(());
        };
        if is_there {
            sender.send(&value)?;
            if row.sleeps {
                sender.wake();
            }
        }
    }
}
