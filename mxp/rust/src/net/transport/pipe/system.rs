//! The calls of Windows about users, which the standard library and Tokio lack.
#![expect(unsafe_code, reason = "the system's interface is C's")]

use core::ffi::c_void;
use core::mem::size_of;
#[cfg(feature = "tokio")]
use core::ptr;
use core::ptr::null_mut;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle as _, OwnedHandle};

use windows_sys::Win32::Foundation::LocalFree;
use windows_sys::Win32::Security::Authorization::{GetSecurityInfo, SE_KERNEL_OBJECT};
use windows_sys::Win32::Security::{
    GetLengthSid, GetTokenInformation, TokenUser, OWNER_SECURITY_INFORMATION, PSID, TOKEN_QUERY,
    TOKEN_USER,
};
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
fn user_of(token: &OwnedHandle) -> io::Result<Sid> {
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
pub(super) fn succeeded(result: i32) -> io::Result<()> {
    if result == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

#[cfg(feature = "tokio")]
pub(super) use server::{client, is_crowded, AccessList};

/// The calls of servers.
#[cfg(feature = "tokio")]
mod server {
    use std::vec::Vec;

    use windows_sys::Win32::Foundation::ERROR_SEM_TIMEOUT;
    use windows_sys::Win32::Security::Authorization::{
        ConvertStringSecurityDescriptorToSecurityDescriptorW, SDDL_REVISION_1,
    };
    use windows_sys::Win32::Security::{RevertToSelf, PSECURITY_DESCRIPTOR, SECURITY_ATTRIBUTES};
    use windows_sys::Win32::System::Pipes::{
        GetNamedPipeClientProcessId, ImpersonateNamedPipeClient, WaitNamedPipeW, NMPWAIT_NOWAIT,
    };
    use windows_sys::Win32::System::Threading::{GetCurrentThread, OpenThreadToken};

    use super::*;

    /// The process at the other end of an accepted pipe, and its user.
    pub(in super::super) fn client(pipe: &impl AsRawHandle) -> io::Result<(u32, Sid)> {
        let (pipe, mut id) = (pipe.as_raw_handle(), 0);
        // SAFETY: the pipe is open, and the number is written where it has room.
        succeeded(unsafe { GetNamedPipeClientProcessId(pipe, &mut id) })?;
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
    pub(in super::super) fn is_crowded(path: &str) -> io::Result<bool> {
        let path = wide(path);
        // SAFETY: the text ends with 0.
        if unsafe { WaitNamedPipeW(path.as_ptr(), NMPWAIT_NOWAIT) } != 0 {
            return Err(io::ErrorKind::AddrInUse.into());
        }
        let why = io::Error::last_os_error().raw_os_error();
        Ok(why == i32::try_from(ERROR_SEM_TIMEOUT).ok())
    }

    /// The users who may open a pipe.
    pub(in super::super) struct AccessList(PSECURITY_DESCRIPTOR);

    // SAFETY: it belongs to nobody else, and is not changed once it is made.
    unsafe impl Send for AccessList {}
    // SAFETY: as above.
    unsafe impl Sync for AccessList {}

    impl AccessList {
        /// The one that a text stands for.
        pub(in super::super) fn read(text: &str) -> io::Result<Self> {
            let (text, mut made) = (wide(text), null_mut());
            // SAFETY: the text ends with 0, and the list is written where it has room.
            succeeded(unsafe {
                let (text, revision) = (text.as_ptr(), SDDL_REVISION_1);
                let none = null_mut();
                ConvertStringSecurityDescriptorToSecurityDescriptorW(
                    text, revision, &mut made, none,
                )
            })?;
            Ok(Self(made))
        }

        /// Gives a function the attributes of a handle that has the list. They are there until it returns.
        pub(in super::super) fn attributes<T>(&self, make: impl FnOnce(*mut c_void) -> T) -> T {
            let mut attributes = SECURITY_ATTRIBUTES {
                nLength: u32::try_from(size_of::<SECURITY_ATTRIBUTES>()).unwrap_or(0),
                lpSecurityDescriptor: self.0,
                bInheritHandle: 0,
            };
            make(ptr::from_mut(&mut attributes).cast())
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
}
