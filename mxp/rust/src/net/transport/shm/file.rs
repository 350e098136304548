//! The files of shared memory: this side makes its own, and checks the peer's [MXP-18.2].

#[cfg(target_os = "linux")]
use std::format;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd as _;
use std::os::fd::OwnedFd;
use std::string::String;

#[cfg(target_os = "linux")]
use rustix::fs::{
    fallocate, fcntl_add_seals, fcntl_get_seals, fstat, memfd_create, FallocateFlags, MemfdFlags,
    SealFlags,
};
#[cfg(target_os = "linux")]
use rustix::io::Errno;
#[cfg(target_os = "linux")]
use rustix::process::{getrlimit, Resource};

#[cfg(target_os = "linux")]
use super::memory::{own, peers, NUMBERS_BYTES};
use super::memory::{Own, Peers, Ring};

/// The memory of this side, with the file by which the peer comes to it.
pub(super) struct OwnMemory {
    pub(super) file: OwnedFd,
    pub(super) ring: Ring,
    pub(super) own: Own,
}

/// Why the memory of a peer is not mapped.
pub(super) enum MapFailure {
    /// It is not what it must be.
    Unfit(String),
    /// The system does not map it.
    Failed(io::Error),
}

/// The seals of memory: nobody changes its size, nor comes to write it, any more.
#[cfg(target_os = "linux")]
fn seals() -> SealFlags {
    SealFlags::SHRINK | SealFlags::GROW | SealFlags::FUTURE_WRITE | SealFlags::SEAL
}

/// Makes memory whose ring has so many bytes. All of it is there from then on.
#[cfg(target_os = "linux")]
pub(super) fn create(ring: usize) -> io::Result<OwnMemory> {
    let size = (NUMBERS_BYTES + ring) as u64;
    // Where files may not be so long the system would end the program.
    let most = getrlimit(Resource::Fsize).current;
    if let Some(most) = most.filter(|most| *most < size) {
        let text = format!("files of this program have at most {most} bytes (ulimit -f)");
        return Err(io::Error::other(text));
    }
    let file = nameless()?;
    fallocate(&file, FallocateFlags::empty(), 0, size)?;
    let (ring, own) = own(file.as_fd(), ring)?;
    fcntl_add_seals(&file, seals())?;
    Ok(OwnMemory { file, ring, own })
}

#[cfg(target_os = "linux")]
fn nameless() -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Some systems make no files that could be run, and older ones know no others.
    match memfd_create("mxp", flags | MemfdFlags::NOEXEC_SEAL) {
        Err(Errno::INVAL) => Ok(memfd_create("mxp", flags)?),
        made => Ok(made?),
    }
}

/// Maps the memory of a peer whose ring has so many bytes, if its size and its seals are right
/// [MXP-18.4].
#[cfg(target_os = "linux")]
pub(super) fn open(file: &OwnedFd, ring: usize) -> Result<Peers, MapFailure> {
    let found = fcntl_get_seals(file).unwrap_or(SealFlags::empty());
    let missing = seals() - found;
    if !missing.is_empty() {
        let text = format!("the peer's memory lacks seals: {:#x}", missing.bits());
        return Err(MapFailure::Unfit(text));
    }
    let size = NUMBERS_BYTES + ring;
    let there = fstat(file).map_err(|error| MapFailure::Failed(error.into()))?;
    if u64::try_from(there.st_size) != Ok(size as u64) {
        let has = there.st_size;
        let text = format!("the peer's memory has {has} bytes, not {size}");
        return Err(MapFailure::Unfit(text));
    }
    // Memory that is not there would be allocated when it is read, or end the reader's program.
    if u64::try_from(there.st_blocks).unwrap_or(0) * 512 < size as u64 {
        let text = "the peer's memory is not allocated";
        return Err(MapFailure::Unfit(text.into()));
    }
    peers(file.as_fd(), ring).map_err(MapFailure::Failed)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn create(_ring: usize) -> io::Result<OwnMemory> {
    Err(missing())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(_file: &OwnedFd, _ring: usize) -> Result<Peers, MapFailure> {
    Err(MapFailure::Failed(missing()))
}

#[cfg(not(target_os = "linux"))]
fn missing() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this system has no memory that can be sealed",
    )
}
