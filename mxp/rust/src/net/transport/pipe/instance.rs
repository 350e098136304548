//! The calls of Windows for servers of pipes, which the standard library and Tokio lack.
#![expect(unsafe_code, reason = "the system's interface is C's")]

use core::ptr::{self, null_mut};
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle as _, OwnedHandle};
use std::vec::Vec;

use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use windows_sys::Win32::Foundation::{LocalFree, ERROR_SEM_TIMEOUT};
use windows_sys::Win32::Security::Authorization::{
    ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1,
};
use windows_sys::Win32::Security::{
    RevertToSelf, PSECURITY_DESCRIPTOR, SECURITY_ATTRIBUTES, TOKEN_QUERY,
};
use windows_sys::Win32::System::Pipes::{
    ImpersonateNamedPipeClient, WaitNamedPipeW, NMPWAIT_NOWAIT,
};
use windows_sys::Win32::System::Threading::{GetCurrentThread, OpenThreadToken};

use super::open::path;
use super::system::{client_process, succeeded, user_of};
use crate::net::sid::Sid;

/// Bytes of a direction that the system keeps for the reader.
const BUFFER_BYTES: u32 = 64 << 10;

/// Makes an instance of a pipe, the first of all if that is wanted.
pub(super) fn instance(
    name: &str,
    access: &AccessList,
    is_first: bool,
) -> io::Result<NamedPipeServer> {
    let mut attributes = SECURITY_ATTRIBUTES {
        nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or(0),
        lpSecurityDescriptor: access.0,
        bInheritHandle: 0,
    };
    let mut options = ServerOptions::new();
    options
        .first_pipe_instance(is_first)
        .in_buffer_size(BUFFER_BYTES)
        .out_buffer_size(BUFFER_BYTES);
    // SAFETY: the attributes are there as long as the call.
    unsafe {
        let attributes = ptr::from_mut(&mut attributes).cast();
        options.create_with_security_attributes_raw(path(name), attributes)
    }
}

/// The process at the other end of an accepted pipe, and its user.
pub(super) fn client(pipe: &impl AsRawHandle) -> io::Result<(u32, Sid)> {
    let id = client_process(pipe)?;
    let pipe = pipe.as_raw_handle();
    // SAFETY: the pipe is open.
    succeeded(unsafe { ImpersonateNamedPipeClient(pipe) })?;
    let mut token = null_mut();
    // SAFETY: the token is written where it has room.
    let opened =
        succeeded(unsafe { OpenThreadToken(GetCurrentThread(), TOKEN_QUERY, 1, &mut token) });
    // SAFETY: nothing else is done for the client.
    if unsafe { RevertToSelf() } == 0 {
        // The thread would go on as somebody else.
        std::process::abort();
    }
    opened?;
    // SAFETY: the token was opened here.
    Ok((
        id,
        user_of(&unsafe { OwnedHandle::from_raw_handle(token) })?,
    ))
}

/// Whether a pipe is there of which all instances are taken; an error if one is not.
pub(super) fn is_crowded(path: &str) -> io::Result<bool> {
    let path = wide(path);
    // SAFETY: the text ends with 0.
    if unsafe { WaitNamedPipeW(path.as_ptr(), NMPWAIT_NOWAIT) } != 0 {
        return Err(io::ErrorKind::AddrInUse.into());
    }
    let why = io::Error::last_os_error().raw_os_error();
    Ok(why == i32::try_from(ERROR_SEM_TIMEOUT).ok())
}

/// The users who may open a pipe.
pub(super) struct AccessList(PSECURITY_DESCRIPTOR);

// SAFETY: it belongs to nobody else, and is not changed once it is made.
unsafe impl Send for AccessList {}
// SAFETY: as above.
unsafe impl Sync for AccessList {}

impl AccessList {
    /// The one that a text stands for.
    pub(super) fn read(text: &str) -> io::Result<Self> {
        let (text, mut made) = (wide(text), null_mut());
        // SAFETY: the text ends with 0, and the list is written where it has room.
        succeeded(unsafe {
            let (text, revision) = (text.as_ptr(), SDDL_REVISION_1);
            let none = null_mut();
            ConvertStringSecurityDescriptorToSecurityDescriptorW(text, revision, &mut made, none)
        })?;
        Ok(Self(made))
    }
}

impl Drop for AccessList {
    fn drop(&mut self) {
        // SAFETY: the system has made it, and nobody has it any more.
        unsafe { LocalFree(self.0) };
    }
}

/// A text as Windows takes it.
fn wide(text: &str) -> Vec<u16> {
    let mut wide: Vec<u16> = text.encode_utf16().collect();
    wide.push(0);
    wide
}
