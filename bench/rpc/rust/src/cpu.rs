//! Processor time, of this process and of the server's.

use std::fs;

use crate::Flaw;

/// Nanoseconds that the threads of a process have run, in the kernel and outside.
///
/// # Errors
///
/// The process is not there, or the system is not Linux.
pub fn nanoseconds(process: u32) -> Result<u64, Flaw> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let text = fs::read_to_string(thread?.path().join("schedstat"))?;
        let ran = text.split(' ').next().unwrap_or_default();
        sum += ran.parse::<u64>()?;
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::time::{Duration, Instant};

    #[test]
    fn work_is_counted_and_sleep_is_not() {
        let me = std::process::id();
        let begun = super::nanoseconds(me).unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let slept = super::nanoseconds(me).unwrap() - begun;
        let start = Instant::now();
        let mut n = 0_u64;
        while start.elapsed() < Duration::from_millis(200) {
            n = black_box(n + 1);
        }
        // What runs is counted up to the last tick of the system's clock.
        std::thread::sleep(Duration::from_millis(20));
        let worked = super::nanoseconds(me).unwrap() - begun - slept;
        assert!(worked > slept, "{worked} ns for work, {slept} ns for sleep");
    }
}
