//! The options that are set on every TCP socket.

use core::time::Duration;
use std::io;

use socket2::{SockRef, TcpKeepalive};

#[cfg(target_os = "linux")]
use crate::session::UNSENT_BYTES;

/// Makes a TCP socket one that sends at once, keeps little that is not sent, and finds
/// out that its peer is gone.
pub(crate) fn tune<'s, S>(socket: &'s S) -> io::Result<()>
where
    SockRef<'s>: From<&'s S>,
{
    let socket = SockRef::from(socket);
    socket.set_tcp_nodelay(true)?;
    let keepalive = TcpKeepalive::new()
        .with_time(Duration::from_secs(15))
        .with_interval(Duration::from_secs(5))
        .with_retries(2);
    // Not every system has each of these, and none needs them.
    let _ = socket.set_tcp_keepalive(&keepalive);
    #[cfg(target_os = "linux")]
    let _ = socket.set_tcp_notsent_lowat(u32::try_from(UNSENT_BYTES).unwrap_or(u32::MAX));
    Ok(())
}
