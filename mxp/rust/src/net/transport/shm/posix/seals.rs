//! The files of shared memory: this side makes its own, and checks the peer's [MXP-18.2].

#[cfg(target_os = "linux")]
use std::format;
use std::io;
#[cfg(target_os = "linux")]
use std::os::fd::AsFd as _;
use std::os::fd::OwnedFd;

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
use super::{File, Mapping, PeerEvents};
#[cfg(target_os = "linux")]
use crate::net::transport::shm::memory::{own, peers, NUMBERS_BYTES};
use crate::net::transport::shm::sides::{MapFailure, OwnMemory, PeerMemory};

#[cfg(test)]
impl super::File {
    /// The memory, as a peer comes to it.
    #[cfg(test)]
    pub(crate) fn reopen(&self, ring: usize) -> Result<PeerMemory, MapFailure> {
        open(&self.0, ring)
    }
}

/// The seals of memory: nobody changes its size, nor comes to write it, any more.
#[cfg(target_os = "linux")]
fn seals() -> SealFlags {
    SealFlags::SHRINK | SealFlags::GROW | SealFlags::FUTURE_WRITE | SealFlags::SEAL
}

/// Makes memory whose ring has so many bytes. All of it is there from then on.
#[cfg(target_os = "linux")]
pub(crate) fn create(ring: usize) -> io::Result<OwnMemory> {
    let size = (NUMBERS_BYTES + ring) as u64;
    // Where files may not be so long the system would end the program.
    let most = getrlimit(Resource::Fsize).current;
    if let Some(most) = most.filter(|most| *most < size) {
        let text = format!("files of this program have at most {most} bytes (ulimit -f)");
        return Err(io::Error::other(text));
    }
    let file = nameless()?;
    fallocate(&file, FallocateFlags::empty(), 0, size)?;
    let (ring, own) = own(Mapping::new(file.as_fd(), NUMBERS_BYTES + ring, true)?);
    fcntl_add_seals(&file, seals())?;
    let file = File(file);
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
pub(super) fn open(file: &OwnedFd, ring: usize) -> Result<PeerMemory, MapFailure> {
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
    let mapping = Mapping::new(file.as_fd(), size, false).map_err(MapFailure::Failed)?;
    Ok(PeerMemory {
        peers: peers(mapping),
        events: PeerEvents,
    })
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn create(_ring: usize) -> io::Result<OwnMemory> {
    Err(missing())
}

#[cfg(not(target_os = "linux"))]
pub(super) fn open(_file: &OwnedFd, _ring: usize) -> Result<PeerMemory, MapFailure> {
    Err(MapFailure::Failed(missing()))
}

#[cfg(not(target_os = "linux"))]
fn missing() -> io::Error {
    io::Error::new(
        io::ErrorKind::Unsupported,
        "this system has no memory that can be sealed",
    )
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::string::ToString as _;

    use rustix::fs::ftruncate;
    use rustix::io::Errno;

    use super::*;

    /// As many bytes as the ring of a test has.
    const RING: usize = 4096;

    /// [MXP-18.2]: the seals hold against every attempt of the peer.
    #[test]
    fn nobody_else_writes_into_memory_nor_makes_it_smaller() {
        let made = create(RING).unwrap();
        let shrunk = ftruncate(&made.file.0, 100);
        assert_eq!(shrunk, Err(Errno::PERM));
        assert_eq!(rustix::io::write(&made.file.0, b"x"), Err(Errno::PERM));
        let more = fcntl_add_seals(&made.file.0, SealFlags::WRITE);
        assert_eq!(more, Err(Errno::PERM));
        let size = NUMBERS_BYTES + RING;
        assert!(Mapping::new(made.file.as_fd(), size, true).is_err());
        assert!(made.file.reopen(RING).is_ok());
    }

    /// Why a file is no memory of a peer's.
    fn unfit(file: &OwnedFd) -> std::string::String {
        match open(file, RING) {
            Ok(_) => "it is".into(),
            Err(MapFailure::Unfit(text)) => text,
            Err(MapFailure::Failed(error)) => error.to_string(),
        }
    }

    /// [MXP-18.4].
    #[test]
    fn memory_that_is_not_what_it_must_be_is_not_mapped() {
        let all = [
            SealFlags::SHRINK,
            SealFlags::GROW,
            SealFlags::FUTURE_WRITE,
            SealFlags::SEAL,
        ];
        let size = (NUMBERS_BYTES + RING) as u64;
        let file = |size: u64, missing: Option<SealFlags>, is_there: bool| {
            let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
            let file = memfd_create("test", flags).unwrap();
            ftruncate(&file, size).unwrap();
            if is_there {
                let flags = rustix::fs::FallocateFlags::empty();
                rustix::fs::fallocate(&file, flags, 0, size).unwrap();
            }
            let seals = all.into_iter().filter(|seal| Some(*seal) != missing);
            fcntl_add_seals(&file, seals.collect()).unwrap();
            file
        };
        assert_eq!(unfit(&file(size, None, true)), "it is");
        for seal in all {
            let text = unfit(&file(size, Some(seal), true));
            assert!(text.contains("lacks seals"), "{seal:?}: {text}");
        }
        for wrong in [size - 1, size + 1, NUMBERS_BYTES as u64] {
            let text = unfit(&file(wrong, None, true));
            assert!(text.contains("bytes, not"), "{wrong}: {text}");
        }
        let text = unfit(&file(size, None, false));
        assert_eq!(text, "the peer's memory is not allocated");
        let (pipe, _other) = rustix::pipe::pipe().unwrap();
        assert!(unfit(&pipe).contains("lacks seals"));
        let regular = std::fs::File::open("/proc/self/exe").unwrap();
        assert!(unfit(&regular.into()).contains("lacks seals"));
    }
}
