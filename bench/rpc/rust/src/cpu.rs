//! Processor time, of this process and of the server's.

use std::fs;

use crate::Flaw;

/// Nanoseconds that the threads of a process have run, in the kernel and outside. A thread that ends meanwhile is left out.
///
/// # Errors
///
/// The process is not there, or the system is not Linux.
pub fn nanoseconds(process: u32) -> Result<u64, Flaw> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        if let Ok(text) = fs::read_to_string(thread?.path().join("schedstat")) {
            let ran = text.split(' ').next().unwrap_or_default();
            sum += ran.parse::<u64>()?;
        }
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};
    use std::time::{Duration, Instant};

    /// The processor time of a process, as soon as it is so much, or after 5 s.
    fn ran(child: &Child, wanted: u64) -> u64 {
        let start = Instant::now();
        loop {
            let ran = super::nanoseconds(child.id()).unwrap();
            if ran >= wanted || start.elapsed() > Duration::from_secs(5) {
                return ran;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn work_is_counted_and_sleep_is_not() {
        const WANTED: u64 = 100_000_000;
        let mut sleeps = Command::new("sleep").arg("60").spawn().unwrap();
        let mut works = Command::new("sh")
            .args(["-c", "while :; do :; done"])
            .spawn()
            .unwrap();
        let worked = ran(&works, WANTED);
        let slept = super::nanoseconds(sleeps.id()).unwrap();
        for child in [&mut sleeps, &mut works] {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(worked >= WANTED, "{worked} ns");
        assert!(slept < WANTED / 2, "{slept} ns");
    }

    #[test]
    fn a_process_that_is_not_there_is_an_error() {
        assert!(super::nanoseconds(u32::MAX).is_err());
    }
}
