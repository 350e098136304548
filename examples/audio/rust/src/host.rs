//! The host: a thread with the callback, and one that does what may wait.

use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use rtrb::{Consumer, Producer};

use crate::callback::{ring, Callback, Desk};
use crate::load;
use crate::period::{Periods, BLOCKS_PER_SECOND};
use crate::rack::Rack;
use crate::report::{Log, Record, Summary};
use crate::system::{self, now, usage, Granted, Usage};
use crate::Error;

const PRIORITY: i32 = 70;
/// The time between two looks of the thread that may wait.
const LOOK: Duration = Duration::from_millis(5);
/// The time between two turns of the knobs, in looks.
const TURN: usize = 60;
/// Looks until the first plug-in has to have come.
const COME: usize = 1000;
/// How many callbacks run before deadlines count, to have code and data in memory.
const WARM: u64 = 100;
/// The most records of callbacks that wait: the records of five seconds.
const RECORDS: usize = 4096;
const GAINS: [f32; 4] = [0.25, 0.5, 0.75, 1.0];

/// The command line.
pub struct Options {
    /// The time that audio plays.
    pub seconds: u64,
    /// The machine is to be kept busy meanwhile.
    pub has_load: bool,
    /// A file for the results.
    pub json: Option<PathBuf>,
    /// The plug-in's program.
    pub plugin: PathBuf,
}

/// Plays for a while, and says how that went.
///
/// # Errors
///
/// Why there is no plug-in, or no file for the results.
pub fn run(options: &Options) -> Result<(), Error> {
    if options.has_load {
        load::start();
    }
    let (callback, mut desk) = Callback::new();
    turn(&desk, 0);
    let socket = std::env::temp_dir().join(format!("audio-{}.sock", std::process::id()));
    let mut rack = Rack::new(options.plugin.clone(), &socket)?;
    for _ in 0..COME {
        if let Some(news) = rack.tend(&mut desk)? {
            println!("{news}");
            break;
        }
        thread::sleep(LOOK);
    }
    let (journal, mut records) = ring(RECORDS);
    let blocks = options.seconds * BLOCKS_PER_SECOND;
    let playing = thread::spawn(move || play(callback, journal, blocks));
    let log = tend(&mut rack, &mut desk, &mut records, &playing)?;
    let played = playing
        .join()
        .map_err(|_| "the thread that plays panicked")?;
    let mut summary = Summary {
        seconds: options.seconds,
        has_load: options.has_load,
        granted: played.granted,
        used: played.used,
        unrecorded: played.unrecorded,
        starts: rack.starts,
        log,
    };
    println!("\n{}", summary.text());
    if let Some(file) = &options.json {
        std::fs::write(file, summary.json())?;
    }
    Ok(())
}

/// Outcome of the thread with the callback.
struct Played {
    granted: Granted,
    used: Usage,
    unrecorded: u64,
    // Dropped where memory may be unmapped.
    _callback: Box<Callback>,
}

/// Runs the callback for each block. The measurement stands around it; it does not ask for times
/// itself.
fn play(callback: Callback, mut journal: Producer<Record>, blocks: u64) -> Played {
    let mut callback = Box::new(callback);
    let granted = system::real_time(PRIORITY);
    for _ in 0..WARM {
        callback.run(0);
    }
    let mut unrecorded = 0;
    let before = usage();
    let periods = Periods::begin();
    for block in 0..blocks {
        periods.wait(block);
        let woke = now();
        let seen = callback.run(block);
        let ended = now();
        let record = Record {
            late: woke.saturating_sub(periods.due(block)),
            took: ended - woke,
            is_missed: ended > periods.due(block + 1),
            seen,
        };
        unrecorded += u64::from(journal.push(record).is_err());
    }
    let after = usage();
    Played {
        granted,
        used: Usage {
            faults: after.faults - before.faults,
            preemptions: after.preemptions - before.preemptions,
        },
        unrecorded,
        _callback: callback,
    }
}

/// Looks after everything while audio plays, and collects what callbacks have recorded.
fn tend(
    rack: &mut Rack,
    desk: &mut Desk,
    records: &mut Consumer<Record>,
    playing: &thread::JoinHandle<Played>,
) -> Result<Log, Error> {
    let (mut all, mut second) = (Log::default(), Log::default());
    let mut seconds = 0;
    for look in 0.. {
        // Records of a thread that has ended are all there, so that nothing is missing at the last look.
        let is_last = playing.is_finished();
        while let Ok(record) = records.pop() {
            all.add(&record);
            second.add(&record);
            if second.callbacks() == BLOCKS_PER_SECOND {
                seconds += 1;
                println!("{}", second.line(seconds));
                second = Log::default();
            }
        }
        if is_last {
            break;
        }
        turn(desk, look);
        if let Some(news) = rack.tend(desk)? {
            println!("        {news}");
        }
        thread::sleep(LOOK);
    }
    Ok(all)
}

/// Turns the knobs now and then, as a user would.
fn turn(desk: &Desk, look: usize) {
    if look % TURN == 0 {
        let gain = GAINS[look / TURN % GAINS.len()];
        desk.knobs.turn(gain, 8000.0 * gain);
    }
}
