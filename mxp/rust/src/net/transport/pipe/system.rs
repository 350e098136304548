//! The calls of Windows about users, which the standard library and Tokio lack.
#![expect(unsafe_code, reason = "the system's interface is C's")]

use core::mem::size_of;
use core::ptr::null_mut;
use std::io;
#[cfg(feature = "shm")]
use std::os::windows::io::BorrowedHandle;
use std::os::windows::io::{AsRawHandle, FromRawHandle as _, OwnedHandle};

use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::Security::Authorization::{GetSecurityInfo, SE_KERNEL_OBJECT};
use windows_sys::Win32::Security::{
    GetLengthSid, GetTokenInformation, TokenUser, OWNER_SECURITY_INFORMATION, PSID, TOKEN_QUERY,
    TOKEN_USER,
};
use windows_sys::Win32::System::Pipes::GetNamedPipeClientProcessId;
#[cfg(feature = "shm")]
use windows_sys::Win32::System::Pipes::{GetNamedPipeServerProcessId, PeekNamedPipe};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

use crate::net::sid::Sid;

/// The user that this program runs as.
pub(crate) fn own_user() -> io::Result<Sid> {
    let mut token = null_mut();
    // SAFETY: the token is written where it has room.
    succeeded(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token) })?;
    // SAFETY: the token was opened here.
    user_of(&unsafe { OwnedHandle::from_raw_handle(token) })
}

/// The owner of a pipe.
pub(super) fn owner(pipe: &impl AsRawHandle) -> io::Result<Sid> {
    let (mut owner, mut facts) = (null_mut(), null_mut());
    // SAFETY: both pointers are written where they have room, and the others may be null.
    let code = unsafe {
        let pipe = pipe.as_raw_handle();
        let wanted = OWNER_SECURITY_INFORMATION;
        let (group, list, log) = (null_mut(), null_mut(), null_mut());
        GetSecurityInfo(
            pipe,
            SE_KERNEL_OBJECT,
            wanted,
            &mut owner,
            group,
            list,
            log,
            &mut facts,
        )
    };
    if code != 0 {
        return Err(io::Error::from_raw_os_error(
            i32::try_from(code).unwrap_or(i32::MAX),
        ));
    }
    // SAFETY: the owner is a part of the facts, which are there until they are freed.
    unsafe {
        let owner = copied(owner);
        LocalFree(facts);
        owner
    }
}

/// The user of a token.
pub(super) fn user_of(token: &OwnedHandle) -> io::Result<Sid> {
    // More than a TOKEN_USER and the longest SID take.
    let mut room = [0_u64; 16];
    let (mut used, all) = (0, size_of::<[u64; 16]>());
    // SAFETY: the room has that many bytes, and is aligned as a TOKEN_USER.
    succeeded(unsafe {
        let all = u32::try_from(all).unwrap_or(0);
        let room = room.as_mut_ptr().cast();
        GetTokenInformation(token.as_raw_handle(), TokenUser, room, all, &mut used)
    })?;
    // SAFETY: the system has written a TOKEN_USER, whose SID lies behind it.
    unsafe { copied((*room.as_ptr().cast::<TOKEN_USER>()).User.Sid) }
}

/// A copy of an identifier that the system has given.
///
/// # Safety
///
/// It is one, and there, or null.
unsafe fn copied(sid: PSID) -> io::Result<Sid> {
    if sid.is_null() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "nobody owns it"));
    }
    // SAFETY: as the caller says.
    let bytes = unsafe {
        let length = GetLengthSid(sid);
        core::slice::from_raw_parts(sid.cast::<u8>(), usize::try_from(length).unwrap_or(0))
    };
    Sid::read(bytes).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The error of a call that has given nothing but 0.
pub(in crate::net::transport) fn succeeded(result: i32) -> io::Result<()> {
    if result == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// A pipe that was opened for overlapping reads and writes, on Tokio.
#[cfg(feature = "tokio")]
pub(super) fn dialed(
    file: std::fs::File,
) -> io::Result<tokio::net::windows::named_pipe::NamedPipeClient> {
    use std::os::windows::io::IntoRawHandle as _;
    // SAFETY: the handle is that of a pipe, and belongs to nobody else.
    unsafe {
        tokio::net::windows::named_pipe::NamedPipeClient::from_raw_handle(file.into_raw_handle())
    }
}

/// The process of the client of a pipe.
pub(super) fn client_process(pipe: &impl AsRawHandle) -> io::Result<u32> {
    let mut id = 0;
    // SAFETY: the pipe is open, and the number is written where it has room.
    succeeded(unsafe { GetNamedPipeClientProcessId(pipe.as_raw_handle(), &mut id) })?;
    Ok(id)
}

/// The process that has made a pipe.
#[cfg(feature = "shm")]
pub(in crate::net::transport) fn server_process(pipe: &impl AsRawHandle) -> io::Result<u32> {
    let mut id = 0;
    // SAFETY: as above.
    succeeded(unsafe { GetNamedPipeServerProcessId(pipe.as_raw_handle(), &mut id) })?;
    Ok(id)
}

/// Whether the other end of a pipe is closed, and all its bytes are read.
#[cfg(feature = "shm")]
pub(in crate::net::transport) fn is_over(pipe: &impl AsRawHandle) -> bool {
    let none = null_mut();
    // SAFETY: the pipe is open, and nothing is written.
    let peeked = unsafe {
        PeekNamedPipe(
            pipe.as_raw_handle(),
            none,
            0,
            null_mut(),
            null_mut(),
            null_mut(),
        )
    };
    peeked == 0
}

/// Another handle of a pipe.
#[cfg(feature = "shm")]
pub(in crate::net::transport) fn clone(pipe: &impl AsRawHandle) -> io::Result<std::fs::File> {
    // SAFETY: the pipe is open.
    let pipe = unsafe { BorrowedHandle::borrow_raw(pipe.as_raw_handle()) };
    pipe.try_clone_to_owned().map(std::fs::File::from)
}
