//! Round trips of values between two processes through memory, and beside that through a socket:
//!
//! ```text
//! shmbench                 measures all, and prints a line of JSON for each row
//! shmbench --once          makes a few round trips of each, and times nothing
//! shmbench serve ROW PLACE gives back what comes: the other process
//! ```

mod bare;
mod channel;
mod generated;
mod iceoryx;
mod measure;
mod rows;
mod socket;

use std::error::Error;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use measure::{idle, Times};
use rows::{Peer, Row, ROWS};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The time of a row in one round, and the number of rounds.
const ROUND: Duration = Duration::from_millis(1000);
const ROUNDS: usize = 3;

fn main() -> Outcome<()> {
    iceoryx2::prelude::set_log_level(iceoryx2::prelude::LogLevel::Error);
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["serve", row, place] => {
            let row = ROWS.iter().find(|one| one.name() == row);
            serve(row.ok_or("there is no such row")?, place)
        }
        ["--once"] => ROWS.iter().try_for_each(|row| {
            let mut times = Times::once();
            ask(row, &mut times)?;
            println!("{}: {} round trips", row.name(), times.count());
            Ok(())
        }),
        [] => all(),
        _ => Err("usage: shmbench [--once]".into()),
    }
}

/// Measures all rows, one after the other in each round, so that what disturbs one round is not
/// that of one peer.
fn all() -> Outcome<()> {
    let mut all: Vec<Vec<Times>> = ROWS.iter().map(|_| Vec::new()).collect();
    for _ in 0..ROUNDS {
        for (row, rounds) in ROWS.iter().zip(&mut all) {
            let mut times = Times::new(ROUND);
            ask(row, &mut times)?;
            rounds.push(times);
        }
    }
    for (row, rounds) in ROWS.iter().zip(all) {
        println!("{}", measure::line(row, rounds));
    }
    let (threads, wall) = idle_channel()?;
    println!(
        "{{\"idle_cpu_ns\": {}, \"idle_wall_ns\": {}}}",
        threads.as_nanos(),
        wall.as_nanos()
    );
    Ok(())
}

/// The other process, until this is dropped.
struct Other(Child);

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts the other process of a row, and waits until it listens.
fn start(row: &Row, place: &str) -> Outcome<Other> {
    let command = Command::new(std::env::current_exe()?)
        .args(["serve", &row.name(), place])
        .stdout(Stdio::piped())
        .spawn()?;
    let mut other = Other(command);
    let out = other.0.stdout.take().ok_or("no output")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    if line.trim() != "ready" {
        return Err(format!("{} does not listen", row.name()).into());
    }
    Ok(other)
}

/// Says that the other process can be asked.
fn ready() -> Outcome<()> {
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    Ok(out.flush()?)
}

/// A place that is this run's alone.
fn place() -> String {
    let folder = std::env::temp_dir();
    let name = format!("shmbench-{}.sock", std::process::id());
    folder.join(name).display().to_string()
}

/// Makes round trips of a row.
fn ask(row: &Row, times: &mut Times) -> Outcome<()> {
    let place = place();
    // The other process of the last row was ended without a word.
    let _ = std::fs::remove_file(&place);
    let bare = bare::Memory::new()?;
    let place = if row.peer == Peer::Ring {
        bare.place()
    } else {
        place
    };
    let _other = start(row, &place)?;
    measure::pin(row.client())?;
    let asked = match row.peer {
        Peer::Channel => channel::ask(row, &place, times),
        Peer::Ring => bare.ask(row, times),
        Peer::Publish => iceoryx::publish_ask(row, times),
        Peer::Request => iceoryx::request_ask(row, times),
        Peer::Socket => socket::ask(row, &place, times),
    };
    let _ = std::fs::remove_file(&place);
    asked
}

fn serve(row: &Row, place: &str) -> Outcome<()> {
    measure::pin(row.server())?;
    match row.peer {
        Peer::Channel => channel::serve(row, place),
        Peer::Ring => bare::Memory::open(place)?.serve(row),
        Peer::Publish => iceoryx::publish_serve(row),
        Peer::Request => iceoryx::request_serve(row),
        Peer::Socket => socket::serve(row, place),
    }
}

/// The processor time that both sides of a channel take on which nothing is sent, as they wait.
fn idle_channel() -> Outcome<(Duration, Duration)> {
    let row = ROWS
        .iter()
        .find(|row| row.peer == Peer::Channel && row.sleeps);
    let (row, place) = (row.ok_or("no channel sleeps")?, place());
    let other = start(row, &place)?;
    measure::pin(row.client())?;
    let mut channel = channel::open_small(row, &place)?;
    idle(other.0.id(), || {
        channel.receiver.wait(Duration::from_secs(3));
    })
}
