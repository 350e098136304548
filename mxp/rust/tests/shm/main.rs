//! Connections by shared memory: a program of its own, so that it can count what it has open.
//! Other systems have no memory that a peer can't take away.
#![cfg(any(target_os = "linux", windows))]

#[path = "../net/demo.rs"]
#[allow(dead_code, reason = "other tests need more of it")]
mod demo;
#[path = "../net/log.rs"]
#[allow(dead_code, reason = "other tests need more of it")]
mod log;

mod channels;
mod fallback;
#[cfg(unix)]
mod foreign;
#[cfg(unix)]
mod handover;
#[cfg(unix)]
mod hostile;
#[cfg(unix)]
mod intruders;
mod killed;
mod meters;
#[cfg(unix)]
mod peer;
mod refusals;
#[cfg(windows)]
mod sections;

use demo::shared;

/// Code that the compiler's tests write.
mod golden {
    pub mod meters;
}

/// How many files of memory and pipes this program has open, and how often memory of this transport
/// is mapped. Sockets are not counted, since runtimes, and tests that wait for their turn, have
/// some too.
#[cfg(unix)]
fn open() -> (usize, usize) {
    let mut files = 0;
    for file in std::fs::read_dir("/proc/self/fd").unwrap() {
        let file = std::fs::read_link(file.unwrap().path());
        let name = file.map_or_else(|_| String::new(), |file| file.display().to_string());
        files += usize::from(
            !name.is_empty() && !name.contains("socket:") && !name.contains("anon_inode"),
        );
    }
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    (files, maps.matches("memfd:mxp").count())
}

/// The same where nothing counts them by kinds: a test counts the handles of all kinds.
#[cfg(windows)]
fn open() -> (usize, usize) {
    (0, 0)
}

/// The turn of a test, when nothing of others is open.
async fn turn() -> tokio::sync::MutexGuard<'static, ()> {
    static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    let turn = TURN.lock().await;
    demo::until("nothing is mapped", || open().1 == 0).await;
    turn
}
