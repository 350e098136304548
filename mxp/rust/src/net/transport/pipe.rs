//! Named pipes of Windows [MXP-21].

#[cfg(feature = "blocking")]
use core::time::Duration;
use std::borrow::ToOwned as _;
use std::boxed::Box;
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

#[cfg(feature = "tokio")]
use super::{EstablishedConnection, ListenOptions, Listener, Pending};
use super::{Protects, Provider};
use crate::engine::outage::{unavailable, unusable};
use crate::net::Address;

#[cfg(feature = "tokio")]
mod listen;
#[cfg(feature = "tokio")]
mod stream;
pub(crate) mod system;
#[cfg(feature = "blocking")]
mod thread;

pub(crate) const SCHEME: &str = "pipe";

/// Bytes of a direction that the system keeps for the reader.
#[cfg(feature = "tokio")]
const BUFFER_BYTES: u32 = 64 << 10;

/// All rights of reading and writing but that to make instances, which the right to append stands for.
const READ_WRITE: u32 = (FILE_GENERIC_READ | FILE_GENERIC_WRITE) & !FILE_APPEND_DATA;

/// The pause between two looks for an instance that is not taken.
const BUSY_PAUSE: core::time::Duration = core::time::Duration::from_millis(10);

/// Named pipes; the system tells the process at the other end, and its user.
pub(crate) struct Pipe;

impl Provider for Pipe {
    fn scheme(&self) -> &'static str {
        SCHEME
    }

    fn form(&self) -> &'static str {
        "name"
    }

    fn address(&self, place: &str) -> Option<Address> {
        let is_named = |c: u8| c.is_ascii_alphanumeric() || b"._-".contains(&c);
        let is_name = (1..=200).contains(&place.len()) && place.bytes().all(is_named);
        is_name.then(|| Address::Other {
            scheme: SCHEME,
            place: place.to_owned(),
        })
    }

    fn protects(&self) -> Protects {
        Protects::PEER_CREDENTIALS
    }

    #[cfg(feature = "tokio")]
    fn dial<'a>(&'a self, place: &'a str) -> Pending<'a, EstablishedConnection> {
        Box::pin(async {
            loop {
                if let Some(file) = open(place)? {
                    let stream = stream::Stream::dialed(file)?;
                    return Ok(EstablishedConnection::new(stream));
                }
                tokio::time::sleep(BUSY_PAUSE).await;
            }
        })
    }

    #[cfg(feature = "tokio")]
    fn listen<'a>(
        &'a self,
        place: &'a str,
        options: ListenOptions,
    ) -> Pending<'a, Box<dyn Listener>> {
        Box::pin(async move { Ok(Box::new(listen::Bound::new(place, options).await?) as _) })
    }

    #[cfg(feature = "blocking")]
    fn dial_blocking(
        &self,
        place: &str,
        stall: Duration,
    ) -> io::Result<Box<dyn crate::net::transport::blocking::Socket>> {
        let late = std::time::Instant::now() + stall;
        loop {
            if let Some(file) = open(place)? {
                return Ok(Box::new(thread::Stream::new(file, stall)?));
            }
            if std::time::Instant::now() > late {
                return Err(unavailable("the server of the pipe takes nobody").into());
            }
            std::thread::sleep(BUSY_PAUSE);
        }
    }
}

/// The system's name of a pipe.
fn path(place: &str) -> String {
    std::format!(r"\\.\pipe\{place}")
}

/// Opens a pipe whose server may identify this program, and no more. There is none while all
/// instances are taken.
fn open(place: &str) -> io::Result<Option<File>> {
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
fn check_owner(pipe: &impl AsRawHandle, may_administer: bool) -> io::Result<()> {
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
