use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::{calibrate, group, per_operation};
use crate::subject::{Flaw, Operation};

/// Notes its name at each run, which takes as long as it was told.
struct Noted {
    name: char,
    runs: Rc<RefCell<String>>,
    each: Duration,
}

impl Operation for Noted {
    fn run(&mut self, n: u64) {
        self.runs.borrow_mut().push(self.name);
        sleep(self.each * u32::try_from(n).unwrap());
    }

    fn verify(&mut self) -> Result<(), Flaw> {
        Ok(())
    }
}

fn noted(name: char, runs: &Rc<RefCell<String>>, each: Duration) -> Box<dyn Operation> {
    let runs = runs.clone();
    Box::new(Noted { name, runs, each })
}

#[test]
fn rounds_sample_each_operation_and_turn_round() {
    let runs = Rc::new(RefCell::new(String::new()));
    let each = Duration::from_micros(200);
    let (mut a, mut b) = (noted('a', &runs, each), noted('b', &runs, each));
    let measured = group(&mut [&mut a, &mut b], 3, Duration::from_micros(100));
    // Before the rounds each is calibrated and counted.
    assert_eq!(*runs.borrow(), "aabbabbaab");
    for one in measured {
        assert_eq!(one.samples.len(), 3);
        // A sleep may last longer than asked for, never shorter.
        assert!(one.samples.iter().all(|ns| *ns >= 200_000.0));
    }
}

/// Remembers how long its last run took.
struct Timed(Rc<Cell<Duration>>);

impl Operation for Timed {
    fn run(&mut self, n: u64) {
        let start = Instant::now();
        sleep(Duration::from_micros(10) * u32::try_from(n).unwrap());
        self.0.set(start.elapsed());
    }

    fn verify(&mut self) -> Result<(), Flaw> {
        Ok(())
    }
}

#[test]
fn calibration_ends_at_the_first_run_that_reaches_the_sample() {
    let last = Rc::new(Cell::new(Duration::ZERO));
    let n = calibrate(&mut Timed(last.clone()), Duration::from_millis(2));
    // Measured from inside it is a little less.
    assert!(last.get() >= Duration::from_micros(1_900));
    // A sleep may last longer than asked for, never shorter: more than 240 were not aimed at.
    assert!(n <= 240, "{n} operations of 10 µs for 2 ms");
}

#[test]
fn time_of_an_operation_keeps_thousandths_of_nanoseconds() {
    let times = [(10, 4), (10, 3), (1_000_000, 1)]
        .map(|(ns, n)| per_operation(Duration::from_nanos(ns), n));
    assert_eq!(
        times.map(f64::to_bits),
        [2.5_f64, 3.333, 1_000_000.0].map(f64::to_bits)
    );
}
