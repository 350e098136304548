//! The end of the program.

use std::io;

/// Waits until a user, or the system, asks the program to end. Signals are caught from the call on.
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

/// Waits until a user asks the program to end.
#[cfg(not(unix))]
#[allow(clippy::unnecessary_wraps)]
pub fn asked() -> io::Result<impl std::future::Future<Output = io::Result<()>>> {
    Ok(tokio::signal::ctrl_c())
}
