//! Decoding takes time in proportion to its input.

use std::hint::black_box;
use std::time::{Duration, Instant};

use golden::plugins::{Plugin, PluginRegistry};
use golden::shapes::{Everything, Grid, Log, Point, Sparse, Tree};
use sdp::{Error, Kind};

use crate::bound::{list, rows};
use crate::sample::everything;
use crate::values::Value;

/// The smaller of the two inputs.
const HALF: usize = 512 << 10;

/// Decodes inputs of n and 2n bytes that are refused at their very end, so that the
/// walk that names the refusal runs too. It does so in turn until it has seen three
/// pairs in proportion: what else the machine does spoils some pairs, but makes no
/// three of them good.
fn in_proportion<T: Value>(most: f64, input: impl Fn(usize) -> Vec<u8>) {
    let [half, whole] = [HALF, 2 * HALF].map(|n| {
        let mut bytes = input(n);
        bytes.push(1);
        bytes
    });
    let off = whole.len().abs_diff(2 * half.len());
    assert!(off < 5000, "{} and {} bytes", half.len(), whole.len());
    let mut ratios = Vec::new();
    while ratios.len() < 25 {
        ratios.push(time::<T>(&whole).div_duration_f64(time::<T>(&half)));
        if ratios.iter().filter(|ratio| **ratio <= most).count() == 3 {
            return;
        }
    }
    panic!("twice the bytes take {ratios:.1?} times as long");
}

fn time<T: Value>(bytes: &[u8]) -> Duration {
    let start = Instant::now();
    let refusal = black_box(T::decode_with(bytes, &sdp::DecodeOptions::new())).unwrap_err();
    let took = start.elapsed();
    assert_eq!(refusal, Error::at(Kind::TrailingBytes, bytes.len() - 1, ""));
    took
}

fn names(n: usize, name: &str) -> Vec<u8> {
    let plugin = Plugin {
        name: name.into(),
        class: name.into(),
        ..Plugin::default()
    };
    let value = PluginRegistry {
        plugins: vec![plugin; (n / (20 + 2 * name.len())).max(1)],
        ..PluginRegistry::default()
    };
    value.encode_to_vec().unwrap()
}

#[test]
fn text_takes_linear_time() {
    in_proportion::<PluginRegistry>(2.4, |n| names(n, "x"));
    in_proportion::<PluginRegistry>(2.4, |n| names(n, "日本語"));
    in_proportion::<PluginRegistry>(2.4, |n| names(n, &"é😀".repeat(n / 12)));
}

#[test]
fn nested_lists_take_linear_time() {
    let deep = [&[1, 0, 0, 0].repeat(62)[..], &[0; 4]].concat();
    in_proportion::<Tree>(2.4, |n| list(n / deep.len(), &deep));
    in_proportion::<Grid>(2.4, |n| rows(n / 32));
}

#[test]
fn unions_take_linear_time() {
    in_proportion::<Log>(2.4, |n| list(n / 5, &[200, 0, 0, 0, 0]));
    let renamed = [4, 5, 0, 0, 0, 1, 0, 0, 0, b'x'];
    in_proportion::<Log>(2.4, |n| list(n / 10, &renamed));
}

#[test]
fn maps_take_linear_time() {
    let small = [3, 0, 0, 1, 1, 2, 2];
    let choices = [3].repeat(2000);
    in_proportion::<Sparse>(2.4, |n| [list(n / 7, &small), choices.clone()].concat());
    // The larger a tree, the more of its nodes miss the caches.
    in_proportion::<Everything>(3.0, |n| {
        let keys = (0..n / 20).map(|i| (format!("{i:08x}"), Point::default()));
        let mut value = everything();
        value.by_name = keys.collect();
        value.encode_to_vec().unwrap()
    });
}
