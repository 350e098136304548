//! The end of the program.

use std::io;

/// Waits until the system, or who has started the program, asks it to end. What waits is made at once, so
/// that nothing is missed from then on.
#[cfg(unix)]
pub fn asked() -> io::Result<impl std::future::Future<Output = io::Result<()>>> {
    use tokio::signal::unix::{signal, SignalKind};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        Ok(())
    })
}

/// Waits until who has started the program asks it to end.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
pub fn asked() -> io::Result<impl std::future::Future<Output = io::Result<()>>> {
    Ok(tokio::signal::ctrl_c())
}
