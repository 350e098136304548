//! The services of the server.

use std::future::pending;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mxp::net::typed::{Context, Receiver, Sender};
use mxp::net::{Failure, Next, Reply, Request, Server};
use mxp::session::{Status, TraceContext};
use tokio::signal::unix::{signal, SignalKind};

use crate::generated::ledger::{Blob, Booking, Entry, Nothing, Range, Rounding, Total, Wanted};
use crate::generated::ledger_service::{ledger_service, Ledger};
use crate::{Error, KEY, SEEN, SESAME};

pub(crate) async fn serve(address: &str) -> Result<(), Error> {
    let mut end = signal(SignalKind::terminate())?;
    let server = Server::new()
        .service(ledger_service(Arc::new(Book::default())))
        .intercept(guard);
    let server = crate::channels::serve(server);
    let server = server.listen(address).await?;
    println!("ready");
    end.recv().await;
    drop(server);
    Ok(())
}

/// Refuses requests with a wrong key, and names the called method in answers.
async fn guard(request: Request, next: Next) -> Result<Reply, Failure> {
    let mut keys = request.metadata.iter().filter(|(key, _)| key == KEY);
    if keys.any(|(_, value)| value != SESAME.as_bytes()) {
        return Err(Failure::new(Status::UNAUTHENTICATED, "key_wrong", "").refused());
    }
    let seen = next.name().to_owned() + &traced(&request);
    Ok(next.run(request).await?.with(SEEN, seen))
}

/// The trace of a request, as W3C's headers have it.
fn traced(request: &Request) -> String {
    let Some(TraceContext { id, parent, flags }) = request.trace else {
        return String::new();
    };
    let id = u128::from_be_bytes(id);
    let state = String::from_utf8_lossy(request.get("tracestate").unwrap_or_default());
    format!(" 00-{id:032x}-{parent:016x}-{flags:02x} {state}")
}

/// The state that all connections share.
#[derive(Default)]
struct Book {
    /// How many that waited were cancelled.
    gone: AtomicU64,
    booked: Mutex<Total>,
}

/// Counts when it is dropped.
struct Counts<'a>(&'a AtomicU64);

impl Drop for Counts<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Ledger for Book {
    async fn echo(&self, request: Entry, _: Context) -> Result<Entry, Failure> {
        Ok(request)
    }

    async fn fail(&self, request: Wanted, _: Context) -> Result<Nothing, Failure> {
        let failure = Failure::new(Status(request.status), request.name, request.text);
        Err(failure.with_details(request.details))
    }

    async fn wait(&self, _: Nothing, _: Context) -> Result<Nothing, Failure> {
        let _counts = Counts(&self.gone);
        pending().await
    }

    async fn waited(&self, _: Nothing, _: Context) -> Result<Total, Failure> {
        Ok(Total {
            entries: self.gone.load(Ordering::SeqCst),
            ..Total::default()
        })
    }

    async fn nothing(&self, request: Nothing, _: Context) -> Result<Nothing, Failure> {
        Ok(request)
    }

    async fn blob(&self, request: Blob, _: Context) -> Result<Blob, Failure> {
        Ok(request)
    }

    async fn list(
        &self,
        request: Range,
        responses: Sender<Entry>,
        _: Context,
    ) -> Result<(), Failure> {
        if request.last < request.first {
            let status = Status::INVALID_ARGUMENT;
            return Err(Failure::new(status, "range_empty", "no numbers"));
        }
        for id in request.first..=request.last {
            let amount = i64::try_from(id).map_or(i64::MIN, |n| -n);
            let entry = Entry::new().with_id(id).with_amount(amount);
            responses.send(&entry.with_text(id.to_string())).await?;
        }
        Ok(())
    }

    async fn sum(&self, mut requests: Receiver<Entry>, _: Context) -> Result<Total, Failure> {
        let mut total = Total::default();
        while let Some(entry) = requests.receive().await? {
            total.entries += 1;
            total.amount = total.amount.saturating_add(entry.amount);
            if total.amount < 0 {
                return Err(Failure::new(
                    Status::FAILED_PRECONDITION,
                    "sum_negative",
                    "",
                ));
            }
        }
        Ok(total)
    }

    async fn negate(
        &self,
        mut requests: Receiver<Entry>,
        responses: Sender<Entry>,
        _: Context,
    ) -> Result<(), Failure> {
        while let Some(mut entry) = requests.receive().await? {
            entry.amount = entry.amount.saturating_neg();
            responses.send(&entry).await?;
        }
        Ok(())
    }

    async fn book(&self, request: Booking, _: Context) -> Result<(), Failure> {
        let mut booked = self.booked.lock().unwrap();
        match request {
            Booking::Entry(entry) if entry.text == "twice" => {
                return Err(Failure::new(Status::ALREADY_EXISTS, "booked_twice", ""));
            }
            Booking::Entry(entry) => {
                booked.entries += 1;
                booked.amount = booked.amount.saturating_add(entry.amount);
            }
            Booking::Many(many) => booked.entries += u64::from(many.times),
            _ => {}
        }
        Ok(())
    }

    async fn round(&self, request: Rounding, _: Context) -> Result<Rounding, Failure> {
        Ok(request)
    }

    async fn booked(&self, _: Nothing, _: Context) -> Result<Total, Failure> {
        Ok(self.booked.lock().unwrap().clone())
    }
}
