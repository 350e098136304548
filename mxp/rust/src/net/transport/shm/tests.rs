//! Directions of a connection whose two sides are in one process.

use std::io::IoSlice;
use std::string::ToString as _;
use std::vec;
use std::vec::Vec;

use super::ring::{Got, Incoming, Outgoing};
use super::sides::OwnMemory;
use super::system::create;

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
        let peers = |memory: &OwnMemory| memory.file.reopen(RING).ok().unwrap().peers;
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
