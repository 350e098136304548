//! Directions of a connection whose two sides are in one process.

use std::io::IoSlice;
use std::os::fd::{AsFd as _, OwnedFd};
use std::string::ToString as _;
use std::vec;
use std::vec::Vec;

use rustix::fs::{fcntl_add_seals, ftruncate, memfd_create, MemfdFlags, SealFlags};
use rustix::io::Errno;

use super::file::{create, open, MapFailure, OwnMemory};
use super::memory::{own, NUMBERS_BYTES};
use super::ring::{Got, Incoming, Outgoing};

const RING: usize = 4096;

/// Two sides that have each other's memory.
struct Pair {
    left: OwnMemory,
    right: OwnMemory,
}

impl Pair {
    fn new() -> Self {
        let made = || create(RING).unwrap();
        let (left, right) = (made(), made());
        Self { left, right }
    }

    /// The direction from left to right.
    fn direction(self) -> (Outgoing, Incoming) {
        let peers = |memory: &OwnMemory| open(&memory.file, RING).ok().unwrap();
        let (left, right) = (peers(&self.left), peers(&self.right));
        let Self {
            left: from,
            right: to,
        } = self;
        let out = Outgoing::new(from.ring, from.own, right);
        (out, Incoming::new(to.own, left))
    }
}

/// Bytes of which no two that are near each other are alike.
fn pattern(n: usize) -> Vec<u8> {
    (0..n).map(|n| (n * 7 + n / 251).to_le_bytes()[0]).collect()
}

#[test]
fn bytes_come_as_they_were_written_however_they_are_cut() {
    let (mut out, mut incoming) = Pair::new().direction();
    let bytes = pattern(200_000);
    let (mut sent, mut read) = (0, Vec::new());
    let mut random = fastrand::Rng::with_seed(7);
    while read.len() < bytes.len() {
        let n = random.usize(0..=RING + 100).min(bytes.len() - sent);
        let middle = random.usize(0..=n);
        let part = &bytes[sent..sent + n];
        let pieces = [IoSlice::new(&part[..middle]), IoSlice::new(&part[middle..])];
        sent += out.write(&pieces, || {}).unwrap();
        let mut room = vec![0; random.usize(1..=RING + 100)];
        match incoming.read(&mut room, |_| {}).unwrap() {
            Got::Bytes(n) => read.extend_from_slice(&room[..n]),
            got => assert_eq!((got, sent), (Got::Nothing, read.len())),
        }
    }
    assert!(read == bytes);
}

#[test]
fn a_ring_takes_as_much_as_it_has() {
    let (mut out, mut incoming) = Pair::new().direction();
    let mut told = 0;
    let wrote = out.write(&[IoSlice::new(&pattern(RING + 1))], || told += 1);
    assert_eq!((wrote.unwrap(), told), (RING, 1));
    assert_eq!(out.write(&[IoSlice::new(b"x")], || told += 1).unwrap(), 0);
    let mut free = 0;
    let got = incoming.read(&mut [0; 96], |n| free = n).unwrap();
    assert_eq!((got, free, out.room().unwrap()), (Got::Bytes(96), 96, 96));
}

#[test]
fn what_was_written_before_the_end_is_read_before_it() {
    let (mut out, mut incoming) = Pair::new().direction();
    out.write(&[IoSlice::new(b"last")], || {}).unwrap();
    out.end();
    assert!(out.write(&[IoSlice::new(b"x")], || {}).is_err());
    let mut room = [0; 10];
    assert_eq!(incoming.read(&mut room, |_| {}).unwrap(), Got::Bytes(4));
    assert_eq!(&room[..4], b"last");
    assert_eq!(incoming.read(&mut room, |_| {}).unwrap(), Got::End);
}

/// [MXP-18.10].
#[test]
fn a_peer_that_is_gone_is_read_to_what_it_had_written() {
    let (mut out, mut incoming) = Pair::new().direction();
    out.write(&[IoSlice::new(b"some")], || {}).unwrap();
    incoming.close();
    out.write(&[IoSlice::new(b"late")], || {}).unwrap();
    out.end();
    incoming.close();
    let mut room = [0; 10];
    assert_eq!(incoming.read(&mut room, |_| {}).unwrap(), Got::Bytes(4));
    assert_eq!(incoming.read(&mut room, |_| {}).unwrap(), Got::Lost);
}

/// [MXP-18.7].
#[test]
fn numbers_that_can_not_be_are_refused() {
    let ring = RING as u64;
    for (written, is_right) in [
        (0, true),
        (ring, true),
        (ring + 1, false),
        (u64::MAX, false),
    ] {
        let pair = Pair::new();
        let left = pair.left.own.clone();
        let (_, mut incoming) = pair.direction();
        left.set_written(written);
        let read = incoming.read(&mut [0; RING], |_| {});
        assert_eq!(read.is_ok(), is_right, "{written}");
        if let Err(error) = read {
            assert!(error.to_string().contains("shm_index"), "{error}");
        } else {
            left.set_written(written.saturating_sub(1));
            let is_less = written > 0;
            assert_eq!(incoming.read(&mut [0; 1], |_| {}).is_err(), is_less);
        }
    }
    for (taken, is_right) in [(0, true), (5, true), (6, false), (u64::MAX, false)] {
        let pair = Pair::new();
        let right = pair.right.own.clone();
        let (mut out, _) = pair.direction();
        out.write(&[IoSlice::new(b"hello")], || {}).unwrap();
        right.set_taken(taken);
        assert_eq!(out.room().is_ok(), is_right, "{taken}");
        assert_eq!(out.write(&[IoSlice::new(b"x")], || {}).is_ok(), is_right);
    }
}

/// [MXP-18.2]: the seals hold against every attempt of the peer.
#[test]
fn nobody_else_writes_into_memory_nor_makes_it_smaller() {
    let made = create(RING).unwrap();
    let shrunk = ftruncate(&made.file, 100);
    assert_eq!(shrunk, Err(Errno::PERM));
    assert_eq!(rustix::io::write(&made.file, b"x"), Err(Errno::PERM));
    let more = fcntl_add_seals(&made.file, SealFlags::WRITE);
    assert_eq!(more, Err(Errno::PERM));
    assert!(own(made.file.as_fd(), RING).is_err());
    assert!(open(&made.file, RING).is_ok());
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
