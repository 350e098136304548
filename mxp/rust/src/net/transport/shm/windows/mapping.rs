//! Sections that are mapped [MXP-18.19].
#![expect(unsafe_code, reason = "the system's interface is C's")]

use core::ptr::null;
use std::format;
use std::io;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::string::String;

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, MapViewOfFile, UnmapViewOfFile, VirtualQuery, FILE_MAP_READ,
    FILE_MAP_WRITE, MEMORY_BASIC_INFORMATION, MEMORY_MAPPED_VIEW_ADDRESS, MEM_COMMIT, MEM_MAPPED,
    PAGE_READWRITE,
};
use windows_sys::Win32::System::ProcessStatus::K32GetMappedFileNameW;
use windows_sys::Win32::System::Threading::GetCurrentProcess;

/// A mapped section.
pub(crate) struct Mapping {
    base: *mut u8,
    bytes: usize,
}

impl Mapping {
    /// Maps all of a section, whose bytes are counted by who calls.
    pub(super) fn new(section: &OwnedHandle, bytes: usize, is_own: bool) -> io::Result<Self> {
        let access = if is_own {
            FILE_MAP_READ | FILE_MAP_WRITE
        } else {
            FILE_MAP_READ
        };
        // SAFETY: the handle is open, and the system chooses a place where nothing is.
        let view = unsafe { MapViewOfFile(section.as_raw_handle(), access, 0, 0, 0) };
        if view.Value.is_null() {
            return Err(io::Error::last_os_error());
        }
        let base = view.Value.cast();
        Ok(Self { base, bytes })
    }

    /// Its first byte, at the beginning of a page.
    #[inline]
    pub(crate) const fn base(&self) -> *mut u8 {
        self.base
    }

    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Why its bytes may be lost, or are not as many as they must be.
    pub(super) fn defect(&self) -> Option<String> {
        let mut found = MEMORY_BASIC_INFORMATION::default();
        let size = size_of::<MEMORY_BASIC_INFORMATION>();
        let mut name = [0; 1];
        // SAFETY: the facts are written where they have room, and so is the name's one letter.
        let (is_known, letters) = unsafe {
            let base = self.base.cast_const().cast();
            let written = VirtualQuery(base, &mut found, size);
            let process = GetCurrentProcess();
            let letters = K32GetMappedFileNameW(process, base, name.as_mut_ptr(), 1);
            (written == size, letters)
        };
        if !is_known || found.Type != MEM_MAPPED || letters > 0 {
            return Some("the peer's section is of a file".into());
        }
        if found.State != MEM_COMMIT {
            return Some("the peer's section is not committed".into());
        }
        let (has, wanted) = (found.RegionSize, self.bytes);
        (has != wanted).then(|| format!("the peer's section has {has} bytes, not {wanted}"))
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        let base = MEMORY_MAPPED_VIEW_ADDRESS {
            Value: self.base.cast(),
        };
        // SAFETY: nobody has a reference into the mapping any more.
        let unmapped = unsafe { UnmapViewOfFile(base) };
        debug_assert!(unmapped != 0);
    }
}

/// A section of the system's page file, all of which is there, and mapped.
pub(super) fn section(size: usize) -> io::Result<(OwnedHandle, Mapping)> {
    let size_of_it = u32::try_from(size).map_err(|_| io::ErrorKind::InvalidInput)?;
    // SAFETY: no pointer is given, and the handle is nobody else's.
    let section = unsafe {
        let protection = PAGE_READWRITE;
        let file = INVALID_HANDLE_VALUE;
        let made = CreateFileMappingW(file, null(), protection, 0, size_of_it, null());
        if made.is_null() {
            return Err(io::Error::last_os_error());
        }
        OwnedHandle::from_raw_handle(made)
    };
    let mapping = Mapping::new(&section, size, true)?;
    Ok((section, mapping))
}
