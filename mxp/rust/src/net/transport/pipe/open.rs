//! The client's end of a pipe, before bytes come or go.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle;
use std::string::{String, ToString as _};

use windows_sys::Win32::Foundation::{ERROR_FILE_NOT_FOUND, ERROR_PIPE_BUSY};
use windows_sys::Win32::Storage::FileSystem::{
    FILE_APPEND_DATA, FILE_FLAG_OVERLAPPED, FILE_GENERIC_READ, FILE_GENERIC_WRITE,
    SECURITY_IDENTIFICATION,
};

use super::system;
use crate::engine::outage::{unavailable, unusable};

/// All rights of reading and writing but that to make instances, which the right to append stands for.
pub(super) const READ_WRITE: u32 = (FILE_GENERIC_READ | FILE_GENERIC_WRITE) & !FILE_APPEND_DATA;

/// The pause between two looks for an instance that is not taken.
pub(super) const BUSY_PAUSE: core::time::Duration = core::time::Duration::from_millis(10);

/// The system's name of a pipe.
pub(super) fn path(place: &str) -> String {
    std::format!(r"\\.\pipe\{place}")
}

/// Whether a text has the form of a pipe's name [MXP-21.1].
pub(in crate::net::transport) fn is_place(place: &str) -> bool {
    let is_named = |c: u8| c.is_ascii_alphanumeric() || b"._-".contains(&c);
    (1..=200).contains(&place.len()) && place.bytes().all(is_named)
}

/// Opens a pipe, and waits while all instances are taken.
#[cfg(feature = "tokio")]
pub(in crate::net::transport) async fn open_pipe(place: &str) -> io::Result<File> {
    loop {
        if let Some(file) = open(place)? {
            return Ok(file);
        }
        tokio::time::sleep(BUSY_PAUSE).await;
    }
}

/// Opens a pipe, and waits no longer than a time while all instances are taken.
#[cfg(any(feature = "blocking", feature = "shm"))]
pub(in crate::net::transport) fn open_waiting(
    place: &str,
    stall: core::time::Duration,
) -> io::Result<File> {
    let late = std::time::Instant::now() + stall;
    loop {
        if let Some(file) = open(place)? {
            return Ok(file);
        }
        if std::time::Instant::now() > late {
            return Err(unavailable("the server of the pipe takes nobody").into());
        }
        std::thread::sleep(BUSY_PAUSE);
    }
}

/// Opens a pipe whose server may identify this program, and no more. There is none while all
/// instances are taken.
pub(super) fn open(place: &str) -> io::Result<Option<File>> {
    let opened = OpenOptions::new()
        .access_mode(READ_WRITE)
        .custom_flags(FILE_FLAG_OVERLAPPED)
        .security_qos_flags(SECURITY_IDENTIFICATION)
        .open(path(place));
    let is = |error: &io::Error, code: u32| error.raw_os_error() == i32::try_from(code).ok();
    match opened {
        Ok(file) => {
            check_owner(&file, true)?;
            Ok(Some(file))
        }
        Err(error) if is(&error, ERROR_PIPE_BUSY) => Ok(None),
        Err(error) if is(&error, ERROR_FILE_NOT_FOUND) => {
            Err(unavailable("nobody serves a pipe of this name").into())
        }
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(unusable(std::format!("{error}")).into())
        }
        Err(error) => Err(error),
    }
}

/// Refuses a pipe of another user than this program's own or, where they may, an administrator or the
/// system: anybody can make a pipe of a name.
pub(super) fn check_owner(pipe: &impl AsRawHandle, may_administer: bool) -> io::Result<()> {
    const SYSTEM: &str = "S-1-5-18";
    const ADMINISTRATORS: &str = "S-1-5-32-544";
    let (owner, own) = (system::owner(pipe)?, system::own_user()?);
    let is_trusted = || [SYSTEM, ADMINISTRATORS].contains(&&*owner.to_string());
    if owner == own || may_administer && is_trusted() {
        return Ok(());
    }
    let text = std::format!("the pipe is that of user {owner}, and this program runs as {own}");
    Err(unusable(text).into())
}
