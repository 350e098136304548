//! The calls of the client.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mxp::net::{ClientOptions, Failure, Options};
use mxp::session::TraceContext;

use crate::generated::ledger::{Blob, Entry, Nothing, Rounding, Total, Wanted};
use crate::generated::ledger_service::LedgerClient;
use crate::mark::{mark, marked, MARKS};
use crate::{Error, KEY, SEEN, SESAME};

/// The time that the peer may take for everything together.
const PATIENCE: Duration = Duration::from_secs(60);

/// Asks for everything, and prints what it is told.
pub(crate) struct Asks {
    pub(crate) ledger: LedgerClient,
    told: Arc<Mutex<Told>>,
    /// Lines that are not as they should be.
    wrong: usize,
}

/// The key that the interceptor sends, and the key that it has seen last.
struct Told {
    key: &'static str,
    seen: String,
}

pub(crate) async fn call(address: &str) -> Result<(), Error> {
    let mut asks = Asks::connect(address)?;
    tokio::time::timeout(PATIENCE, asks.all()).await??;
    println!("done");
    match asks.wrong {
        0 => Ok(()),
        n => Err(format!("{n} lines are not as they should be").into()),
    }
}

/// Waits for a request that has to fail.
pub(crate) async fn failure<T>(asked: impl Future<Output = Result<T, Failure>>) -> Failure {
    match asked.await {
        Ok(_) => Failure::new(mxp::session::Status::OK, "no failure", ""),
        Err(failure) => failure,
    }
}

impl Asks {
    fn connect(address: &str) -> Result<Self, Error> {
        let told = Arc::new(Mutex::new(Told {
            key: SESAME,
            seen: String::new(),
        }));
        let unlocks = Arc::clone(&told);
        let options = ClientOptions::new().types(LedgerClient::types());
        let options = options.intercept(move |mut asked, next| {
            let told = Arc::clone(&unlocks);
            async move {
                let key = told.lock().unwrap().key;
                asked.metadata.push((KEY.into(), key.into()));
                let reply = next.run(asked).await?;
                for (_, value) in reply.metadata.iter().filter(|(key, _)| key == SEEN) {
                    told.lock().unwrap().seen = String::from_utf8_lossy(value).into();
                }
                Ok(reply)
            }
        });
        Ok(Self {
            ledger: LedgerClient::new(options.connect(address)?),
            told,
            wrong: 0,
        })
    }

    async fn all(&mut self) -> Result<(), Error> {
        self.calls().await?;
        self.waits().await?;
        self.blobs().await?;
        self.lists().await?;
        self.sums().await?;
        self.negates().await?;
        self.books().await?;
        self.rounds().await;
        Ok(())
    }

    /// Prints a line, and counts it if it is none of the possible ones.
    pub(crate) fn say(&mut self, line: &str, can: &[&str]) {
        println!("{line}");
        self.wrong += usize::from(!can.contains(&line));
    }

    async fn calls(&mut self) -> Result<(), Error> {
        let entry = Entry::new()
            .with_id(7)
            .with_text("héllo".into())
            .with_amount(-9);
        let echoed = self.ledger.echo(&mark(entry)).await?;
        let Entry {
            id, text, amount, ..
        } = &echoed;
        let can = MARKS.map(|mark| format!("echo: 7 \"héllo\" -9 {mark}"));
        let line = format!("echo: {id} {text:?} {amount} {}", marked(&echoed));
        self.say(&line, &can.each_ref().map(|line| &line[..]));
        let seen = self.told.lock().unwrap().seen.clone();
        self.say(&format!("seen: {seen}"), &["seen: echo"]);

        let trace = TraceContext {
            id: (1_u128 << 120 | 2).to_be_bytes(),
            parent: 3 << 56 | 4,
            flags: 1,
        };
        let options = Options::new().with_trace(trace);
        let traced = self.ledger.with(options.with("tracestate", "vendor=x"));
        traced.echo(&Entry::new()).await?;
        let seen = self.told.lock().unwrap().seen.clone();
        let should = "trace: echo 00-01000000000000000000000000000002-0300000000000004-01 vendor=x";
        self.say(&format!("trace: {seen}"), &[should]);

        let wanted = Wanted {
            status: 9,
            name: "demo_refused".into(),
            text: "not now".into(),
            details: vec![1, 2],
        };
        let f = failure(self.ledger.fail(&wanted)).await;
        let details: String = f.details.iter().map(|n| format!("{n:02x}")).collect();
        let line = format!(
            "fail: {} {} {:?} {details} acted={}",
            f.status.0, f.name, f.text, f.acted
        );
        self.say(&line, &["fail: 9 demo_refused \"not now\" 0102 acted=true"]);
        let want = "ledger.Ledger/fail: FailedPrecondition (9) demo_refused: not now; \
                    it may have been acted on";
        self.say(
            &format!("line: {}", line_of(&f)),
            &[&format!("line: {want}")],
        );

        self.told.lock().unwrap().key = "wrong";
        let f = failure(self.ledger.echo(&Entry::new())).await;
        self.told.lock().unwrap().key = SESAME;
        let line = format!("key: {} {} acted={}", f.status.0, f.name, f.acted);
        self.say(&line, &["key: 16 key_wrong acted=false"]);
        Ok(())
    }

    /// Asks for what only a server of the same release reads.
    async fn rounds(&mut self) {
        let line = match self.ledger.round(&Rounding { to: 5 }).await {
            Ok(rounding) => format!("round: {}", rounding.to),
            Err(f) => format!("round: {}", line_of(&f)),
        };
        let differ = ["here u32, there u64", "here u64, there u32"].map(|differ| {
            format!(
                "round: ledger.Ledger/round: FailedPrecondition (9) session_schema: \
                 ledger.Rounding.to: {differ}; it was not acted on"
            )
        });
        self.say(&line, &["round: 5", &differ[0], &differ[1]]);
    }

    async fn waits(&mut self) -> Result<(), Error> {
        const SHORT: Duration = Duration::from_millis(50);
        let before = self.ledger.waited(&Nothing {}).await?.entries;
        let short = self.ledger.with(Options::new().with_deadline(SHORT));
        let f = failure(short.wait(&Nothing {})).await;
        self.say(
            &format!("wait: {} {}", f.status.0, f.name),
            &["wait: 4 deadline_exceeded"],
        );
        // A call is cancelled by nobody waiting for it.
        if tokio::time::timeout(SHORT, self.ledger.wait(&Nothing {}))
            .await
            .is_err()
        {
            self.say("wait: 1 cancelled", &["wait: 1 cancelled"]);
        }
        let ledger = &self.ledger;
        let after = until(before + 2, || ledger.waited(&Nothing {}))
            .await?
            .entries;
        self.say(&format!("waited: {}", after - before), &["waited: 2"]);
        Ok(())
    }

    async fn blobs(&mut self) -> Result<(), Error> {
        /// The largest payload of a frame.
        const PAYLOAD: usize = 16 << 20;
        self.ledger.nothing(&Nothing {}).await?;
        self.say("nothing: ok", &["nothing: ok"]);
        let data: Vec<_> = (0..=250).cycle().take(PAYLOAD).collect();
        if self.is_answered(&data[..0]).await {
            self.say("blob: 0", &["blob: 0"]);
        }
        // Is answered, and is not.
        let (mut most, mut least) = (PAYLOAD - 1024, PAYLOAD);
        if !self.is_answered(&data[..most]).await {
            return Err(format!("a blob of {most} bytes is not answered").into());
        }
        while least - most > 1 {
            let middle = most + (least - most) / 2;
            if self.is_answered(&data[..middle]).await {
                most = middle;
            } else {
                least = middle;
            }
        }
        println!("blob: {most}");
        let f = failure(self.ledger.blob(&Blob { data })).await;
        let want = "ledger.Ledger/blob: OutOfRange (11) payload_too_large: a payload of 16777250 \
                    bytes, where the peer takes 16777216; it was not acted on";
        let line = format!("too large: {}", line_of(&f));
        self.say(&line, &[&format!("too large: {want}")]);
        Ok(())
    }

    async fn is_answered(&self, data: &[u8]) -> bool {
        let blob = Blob { data: data.into() };
        self.ledger
            .blob(&blob)
            .await
            .is_ok_and(|answer| answer == blob)
    }
}

/// Asks how many there are until there are so many, but not for ever.
pub(crate) async fn until<A>(want: u64, ask: impl Fn() -> A) -> Result<Total, Failure>
where
    A: Future<Output = Result<Total, Failure>>,
{
    let begun = Instant::now();
    loop {
        let total = ask().await?;
        if total.entries >= want || begun.elapsed() >= Duration::from_secs(5) {
            return Ok(total);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// A failure as text, without the address, which differs from run to run.
fn line_of(failure: &Failure) -> String {
    failure
        .clone()
        .with_origin(failure.method(), "")
        .to_string()
}
