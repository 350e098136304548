//! Damaged bytes never panic, and are refused as the specification says.

use golden::plugins::PluginRegistry;
use golden::shapes::{Everything, Grid, Log};
use sdp::{DecodeOptions, Error, Kind};

use crate::agree::{agree, comes_back, keeps_bound, shows_the_same};
use crate::random::Random;
use crate::sample::{everything, registry};
use crate::values::Value;

/// The compiler's interpreter's verdicts on damaged bytes: it was written apart from the generated
/// code.
const TABLE: &str = include_str!("../../testdata/damaged.txt");

/// Lines of a damage: its first byte, its last, and the verdict.
fn said(damage: &str) -> Vec<(usize, usize, &'static str)> {
    let lines = TABLE.lines().filter_map(|line| {
        let line = line.strip_prefix(damage)?.strip_prefix(' ')?;
        let (range, says) = line.split_once(' ')?;
        let (first, last) = range.split_once('-')?;
        Some((first.parse().ok()?, last.parse().ok()?, says))
    });
    let lines: Vec<_> = lines.collect();
    assert!(lines.len() > 100, "{damage}: {} lines", lines.len());
    lines
}

/// The bytes that the table damages.
fn bytes() -> Vec<u8> {
    let digits = TABLE
        .lines()
        .find_map(|line| line.strip_prefix("bytes "))
        .unwrap();
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap())
        .collect()
}

fn text(refusal: &Error) -> String {
    let at = refusal.offset.unwrap();
    format!("{} {at} {}", refusal.kind, refusal.path)
        .trim_end()
        .into()
}

/// Damages every byte and compares what is said with the table. Damages without a line in the table
/// are accepted, and come back.
fn check(damage: &str, damaged: impl Fn(usize) -> Vec<u8>) {
    let lines = said(damage);
    for i in 0..bytes().len() {
        let line = lines
            .iter()
            .find(|(first, last, _)| (*first..=*last).contains(&i));
        let damaged = damaged(i);
        match agree::<Everything>(&damaged, &DecodeOptions::new()) {
            Ok(value) => {
                assert_eq!(line, None, "{damage} at {i} is accepted");
                comes_back(&value, &damaged, &DecodeOptions::new());
                shows_the_same(&value, &damaged, &DecodeOptions::new());
            }
            Err(refusal) => {
                let want = line.map(|(_, _, says)| *says);
                assert_eq!(Some(&*text(&refusal)), want, "{damage} at {i}");
            }
        }
        keeps_bound::<Everything>(&damaged);
    }
}

#[test]
fn the_table_is_about_the_sample() {
    assert!(everything().encode_to_vec().unwrap() == bytes());
    assert_eq!(Everything::decode(&bytes()).unwrap(), everything());
}

#[test]
fn every_truncation_is_refused_as_the_specification_says() {
    let whole = bytes();
    check("cut", |n| whole[..n].to_vec());
}

#[test]
fn every_flipped_byte_is_read_as_the_specification_says() {
    for mask in [0x01, 0x80, 0xff] {
        check(&format!("xor {mask:02x}"), |i| {
            let mut damaged = bytes();
            damaged[i] ^= mask;
            damaged
        });
    }
}

/// Encodings of values that no table has.
fn encodings() -> Vec<Vec<u8>> {
    let values = (3..5).map(|seed| Random::new(seed).everything());
    values.map(|value| value.encode_to_vec().unwrap()).collect()
}

fn small_registry() -> Vec<u8> {
    let mut few = registry();
    few.plugins.truncate(2);
    few.plugins[0].parameters.truncate(4);
    few.plugins[1].parameters.truncate(3);
    few.encode_to_vec().unwrap()
}

fn truncations_are_refused<T: Value>(bytes: &[u8]) {
    for n in 0..bytes.len() {
        let refusal = agree::<T>(&bytes[..n], &DecodeOptions::new()).unwrap_err();
        let cut = [
            Kind::Truncated,
            Kind::CountExceedsInput,
            Kind::LengthExceedsInput,
            Kind::SegmentPartial,
        ];
        assert!(cut.contains(&refusal.kind), "{n} bytes: {refusal}");
    }
}

#[test]
fn every_prefix_is_refused() {
    truncations_are_refused::<Everything>(&encodings()[0]);
    truncations_are_refused::<PluginRegistry>(&small_registry());
}

fn damage_here_and_there<T: Value>(bytes: &[u8]) {
    let mut random = Random::new(bytes.len() as u64);
    for at in (0..bytes.len()).step_by(5) {
        let mut damaged = bytes.to_vec();
        damaged[at] = random.any();
        let largest: [u8; 4] = match at % 4 {
            0 => [0xff; 4],
            1 => [0xff, 0xff, 0, 0],
            2 => [random.any(), 0, 0, 0],
            _ => [0; 4],
        };
        let mut overwritten = bytes.to_vec();
        let room = (bytes.len() - at).min(4);
        overwritten[at..at + room].copy_from_slice(&largest[..room]);
        overwritten.truncate(bytes.len() - random.below(3));
        for bytes in [damaged, overwritten] {
            for options in [DecodeOptions::new(), DecodeOptions::new().with_exact(true)] {
                if let Ok(value) = agree::<T>(&bytes, &options) {
                    comes_back(&value, &bytes, &options);
                    shows_the_same(&value, &bytes, &options);
                }
            }
            keeps_bound::<T>(&bytes);
        }
    }
}

#[test]
fn damage_is_judged_the_same_by_every_decoder() {
    for bytes in encodings() {
        damage_here_and_there::<Everything>(&bytes);
    }
    damage_here_and_there::<PluginRegistry>(&small_registry());
}

#[test]
fn trailing_bytes_are_refused() {
    for bytes in encodings() {
        for n in [1, 2, 1000] {
            let longer = [&bytes[..], &vec![0; n]].concat();
            let refusal = agree::<Everything>(&longer, &DecodeOptions::new());
            assert_eq!(
                refusal,
                Err(Error::at(Kind::TrailingBytes, bytes.len(), ""))
            );
        }
    }
}

/// Counts of elements whose sizes together wrap around in 32 bits or in 64.
#[test]
fn counts_whose_product_overflows_are_refused() {
    fn check<T: Value>(before: &[u8], count: u32, path: &str) {
        let bytes = [before, &count.to_le_bytes(), &[0; 64]].concat();
        let refusal = agree::<T>(&bytes, &DecodeOptions::new());
        let want = Error::at(Kind::CountExceedsInput, before.len(), path);
        assert_eq!(refusal.err(), Some(want));
        keeps_bound::<T>(&bytes);
    }
    let one = [&[1, 0, 0, 0][..], &[0; 16]].concat();
    check::<PluginRegistry>(&one, u32::MAX / 42 + 1, "plugins[0].parameters");
    check::<PluginRegistry>(&[], u32::MAX / 20 + 1, "plugins");
    check::<PluginRegistry>(&[], u32::MAX, "plugins");
    check::<Log>(&[], u32::MAX / 5 + 1, "events");
    check::<Grid>(&[], 1 << 30, "cells");
    check::<Grid>(&[], 1 << 31, "cells");
}
