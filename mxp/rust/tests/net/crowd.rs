//! Many peers that mean no good, at once: what a server holds has a bound. [MXP-15]

#[allow(dead_code, reason = "other tests need more of it")]
mod demo;
#[allow(dead_code, reason = "other tests need more of it")]
mod raw;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::net::{Address, Client, Options, Reply, Server, Service};
use mxp::session::{Config, FullPolicy, Grant, Kind, Request, Role, Session};

use crate::demo::{plain, this_program};
use crate::raw::{Raw, Told};

const SERVICE: &str = "crowd.Crowd";
/// A call that is answered with 64 KiB.
const ASK: u16 = 1;
/// A stream that nobody reads.
const OPEN: u16 = 2;
/// An event whose handler never ends.
const TELL: u16 = 3;

/// The address that the server in a process of its own is told.
const ADDRESS: &str = "MXP_CROWD";

/// And how much it may hold.
const BYTES: &str = "MXP_CROWD_BYTES";

fn service() -> Service {
    Service::new(SERVICE)
        .call(ASK, |request| async move {
            let bytes = if request.value.is_empty() {
                0
            } else {
                64 << 10
            };
            Ok(Reply::new(vec![7; bytes]))
        })
        .stream(OPEN, |_, stream| async move {
            let _stream = stream;
            std::future::pending().await
        })
        .event_async(TELL, |_| std::future::pending())
}

/// The server, which ends with its input.
#[test]
fn serve() {
    let Ok(address) = std::env::var(ADDRESS) else {
        return;
    };
    let bytes = std::env::var(BYTES).unwrap().parse().unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let server = Server::new().service(service()).memory_bytes(bytes);
        let server = server.listen(&address).await.unwrap();
        println!("\nlistening");
        let server = Arc::new(server);
        if std::env::var("MXP_CROWD_SHOW").is_ok() {
            let server = Arc::clone(&server);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(Duration::from_millis(500)).await;
                    let stats = server.stats();
                    let (held, connections) = (stats.held_bytes() >> 20, server.connections());
                    let ended = stats.refusals(Kind::LimitServerBytes);
                    eprintln!("{connections} connections hold {held} MiB, {ended} were ended");
                }
            });
        }
        let ended = tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0]));
        let _ = ended.await;
        eprintln!("{}", server.stats().prometheus());
    });
    std::process::exit(0);
}

struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Process {
    fn new(address: &str, bytes: usize) -> Self {
        let mut child = this_program()
            .args(["--exact", "serve", "--nocapture"])
            .env(ADDRESS, address)
            .env(BYTES, bytes.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line == "listening"));
        Self(child)
    }

    /// The memory that the process has from the system.
    fn resident(&self) -> usize {
        let path = format!("/proc/{}/status", self.0.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.unwrap().trim().trim_end_matches(" kB");
        kib.parse::<usize>().unwrap() << 10
    }
}

/// Sends what waits for as long as it is taken, and reads nothing.
fn press(raw: &mut Raw, ends: &AtomicBool, mut ask: impl FnMut(&mut Session)) {
    raw.stream
        .set_write_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    while !ends.load(Ordering::Relaxed) {
        ask(&mut raw.session);
        while let Some(frames) = raw.session.poll_frames(1 << 16, 0) {
            let bytes = frames.to_vec();
            let mut left = &bytes[..];
            while !left.is_empty() {
                use std::io::Write as _;
                match raw.stream.write(left) {
                    Ok(n) => left = &left[n..],
                    Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                    Err(_) => return,
                }
                if ends.load(Ordering::Relaxed) {
                    return;
                }
            }
        }
    }
}

/// Asks, and never reads.
fn mute(raw: &mut Raw, ends: &AtomicBool) {
    press(raw, ends, |session| {
        let _ = session.call(&Request::new(0, ASK), b"much", 0);
    });
}

/// Opens streams, and fills them.
fn streams(raw: &mut Raw, ends: &AtomicBool) {
    raw.stream
        .set_read_timeout(Some(Duration::from_millis(50)))
        .unwrap();
    while !ends.load(Ordering::Relaxed) {
        let made = raw
            .session
            .open(&Request::new(0, OPEN), Grant::default(), false, b"", 0);
        let Ok(id) = made else { return };
        if raw.send().is_err() || !raw.read(&mut Told::default()) {
            return;
        }
        while raw
            .session
            .chunk(id, false, false, vec![7; 32 << 10], 0)
            .is_ok()
        {
            if raw.send().is_err() {
                return;
            }
        }
    }
}

/// Tells much of which nothing is handled.
fn events(raw: &mut Raw, ends: &AtomicBool) {
    press(raw, ends, |session| {
        let value = vec![7; 8 << 20];
        let _ = session.event(&Request::new(0, TELL), false, FullPolicy::Refuse, value, 0);
    });
}

/// Has a Hello of 80,000 services.
fn named(address: &Address) -> Raw {
    let mut raw = Raw::dial(address);
    let services = (0..80_000).map(|n| format!("a.{n}"));
    let config = services.fold(Config::new(), Config::with_service);
    raw.session = Session::new(config, Role::Opener, 0).unwrap();
    raw
}

/// Whether the server has closed the connection. Bytes that it has sent are passed over.
fn is_closed(raw: &mut Raw) -> bool {
    raw.stream.set_nonblocking(true).unwrap();
    let read = raw.stream.read(&mut [0; 1 << 12]);
    raw.stream.set_nonblocking(false).unwrap();
    match read {
        Ok(n) => n == 0,
        Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
    }
}

fn attack(kind: usize, address: &Address, ends: &AtomicBool) {
    while !ends.load(Ordering::Relaxed) {
        if kind == 3 {
            let mut raw = named(address);
            if raw.send().is_ok() {
                while !ends.load(Ordering::Relaxed) && !is_closed(&mut raw) {
                    std::thread::sleep(Duration::from_millis(50));
                }
            }
            continue;
        }
        let Some(mut raw) = Raw::try_connect(address) else {
            continue;
        };
        match kind {
            0 => mute(&mut raw, ends),
            1 => streams(&mut raw, ends),
            _ => events(&mut raw, ends),
        }
        // A peer that has nothing more to do stays, for a while.
        for _ in 0..20 {
            if ends.load(Ordering::Relaxed) || is_closed(&mut raw) {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Lets so many peers loose on a server that may hold so much, and another client call it.
async fn withstand(peers: usize, bytes: usize, time: Duration) {
    let address = plain();
    let server = Process::new(&address, bytes);
    let client = Client::connect(&address).unwrap();
    let options = Options::new().with_deadline(Duration::from_secs(20));
    let call = || client.call(SERVICE, ASK, vec![], &options);
    call().await.unwrap();
    let before = server.resident();
    let ends = Arc::new(AtomicBool::new(false));
    let running = Arc::new(AtomicUsize::new(peers));
    for n in 0..peers {
        let at = address.parse().unwrap();
        let (ends, running) = (Arc::clone(&ends), Arc::clone(&running));
        let attack = move || {
            attack(n % 4, &at, &ends);
            running.fetch_sub(1, Ordering::Relaxed);
        };
        let thread = std::thread::Builder::new().stack_size(256 << 10);
        thread.spawn(attack).unwrap();
    }
    let (mut most, mut times) = (0, Vec::new());
    let begun = Instant::now();
    while begun.elapsed() < time {
        let asked = Instant::now();
        call().await.unwrap();
        times.push(asked.elapsed());
        most = most.max(server.resident().saturating_sub(before));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    ends.store(true, Ordering::Relaxed);
    while running.load(Ordering::Relaxed) > 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    times.sort();
    let (calls, p99) = (times.len(), times[times.len() * 99 / 100]);
    let gone = Instant::now();
    let is_back = || server.resident().saturating_sub(before) < bytes / 4;
    while !is_back() && gone.elapsed() < Duration::from_secs(10) {
        call().await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let left = server.resident().saturating_sub(before);
    println!(
        "{peers} peers, {} MiB: {} MiB at most, {} MiB after {:?}; {calls} calls, p99 {p99:?}",
        bytes >> 20,
        most >> 20,
        left >> 20,
        gone.elapsed()
    );
    assert!(most <= bytes / 10 * 11, "{most} of {bytes} bytes");
    assert!(left < bytes / 4, "{left} of {bytes} bytes are left");
}

/// `MXP_HOSTILE`, `MXP_MEGABYTES` and `MXP_SECONDS` make the crowd larger: 1000, 256 and
/// 30 take a minute, and most of a machine.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_server_holds_for_a_crowd_has_a_bound() {
    let number = |name: &str, otherwise: usize| {
        let text = std::env::var(name).ok();
        text.map_or(otherwise, |text| text.parse().unwrap())
    };
    let seconds = number("MXP_SECONDS", 4) as u64;
    let (peers, megabytes) = (number("MXP_HOSTILE", 100), number("MXP_MEGABYTES", 64));
    withstand(peers, megabytes << 20, Duration::from_secs(seconds)).await;
}
