//! Decoding n bytes allocates at most `MEMORY_FACTOR`·n bytes and 64 KiB
//! [WIRE-8.7].

use golden::plugins::{Plugin, PluginRegistry};
use golden::shapes::{Event, Everything, Grid, Log, Node, Sparse, Tree};
use sdp::{DecodeOptions, Error, Kind, Limits};

use crate::agree::{agree, keeps_bound};
use crate::sample::{chain, node, registry, samples};
use crate::values::Value;

pub(crate) fn le(n: usize) -> [u8; 4] {
    u32::try_from(n).unwrap().to_le_bytes()
}

/// A list of so many elements of the same bytes.
pub(crate) fn list(n: usize, element: &[u8]) -> Vec<u8> {
    [&le(n)[..], &element.repeat(n)].concat()
}

/// A grid of many lists of lists, the innermost of one number.
pub(crate) fn rows(n: usize) -> Vec<u8> {
    list(n, &le(1).repeat(8))
}

fn check<T: Value>(bytes: &[u8]) {
    keeps_bound::<T>(bytes);
    let _ = agree::<T>(bytes, &DecodeOptions::new());
}

const N: usize = 1 << 16;

#[test]
fn texts_of_any_size_keep_the_bound() {
    for size in [
        0, 1, 2, 3, 7, 8, 15, 16, 17, 33, 100, 2731, 4095, 4096, 4097, 5000,
    ] {
        let n = N / (size + 9);
        let event = Event::Unknown {
            tag: 77,
            payload: vec![0; size],
        };
        let log = Log {
            events: vec![event; n],
        };
        check::<Log>(&log.encode_to_vec().unwrap());
        let plugin = Plugin {
            name: "x".repeat(size),
            ..Plugin::default()
        };
        let registry = PluginRegistry {
            plugins: vec![plugin; n],
            ..PluginRegistry::default()
        };
        check::<PluginRegistry>(&registry.encode_to_vec().unwrap());
    }
}

#[test]
fn empty_elements_keep_the_bound() {
    let totals = [0; 8];
    let plugins = [&list(N, &[0; 20])[..], &totals].concat();
    check::<PluginRegistry>(&plugins);
    let parameters = [&le(1)[..], &[0; 16], &list(N, &[0; 50]), &totals].concat();
    check::<PluginRegistry>(&parameters);
    let mut refused = list(N, &[0; 20]);
    let last = refused.len() - 3;
    refused[last..].fill(0xff);
    check::<PluginRegistry>(&refused);
}

#[test]
fn maps_of_any_size_keep_the_bound() {
    let choices = [3].repeat(2000);
    for entries in [0, 1, 2, 7, 8, 9, 60, 255] {
        let mut map = vec![entries];
        (0..entries).for_each(|key| map.extend([key, 0]));
        let maps = list(N / map.len(), &map);
        check::<Sparse>(&[&maps[..], &choices].concat());
    }
    check::<Sparse>(&le(0));
    let texts = [1, 0, 0, 0, 0].repeat(2000);
    check::<Sparse>(&[&le(0)[..], &texts].concat());
}

/// Each level of lists claims all that is left.
fn claims(levels: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = (0..levels).flat_map(|level| le(N - level - 1)).collect();
    bytes.resize(4 * N, 0);
    bytes
}

#[test]
fn lists_that_claim_the_rest_keep_the_bound() {
    check::<Grid>(&claims(8));
    check::<Tree>(&claims(63));
    check::<Tree>(&list(N, &[0; 4]));
    check::<Grid>(&rows(N));
}

#[test]
fn trees_keep_the_bound() {
    fn full(levels: usize) -> Node {
        let below = |_| (levels > 1).then(|| full(levels - 1));
        node(0, below("left"), below("right"))
    }
    check::<Node>(&chain(64).encode_to_vec().unwrap());
    check::<Node>(&full(12).encode_to_vec().unwrap());
}

#[test]
fn every_construct_keeps_the_bound() {
    for value in samples() {
        check::<Everything>(&value.encode_to_vec().unwrap());
    }
    check::<PluginRegistry>(&registry().encode_to_vec().unwrap());
}

#[test]
fn the_factor_of_the_registry_is_at_most_16() {
    const { assert!(PluginRegistry::MEMORY_FACTOR <= 16) }
}

fn limited(bytes: &[u8], memory: usize) -> Result<PluginRegistry, Error> {
    let limits = Limits::new().with_memory_bytes(memory);
    PluginRegistry::decode_with(bytes, &DecodeOptions::new().with_limits(limits))
}

#[test]
fn the_memory_limit_is_reported_where_it_strikes() {
    let bytes = [&list(1000, &[0; 20])[..], &[0; 8]].concat();
    let needed = bytes.len() + 1000 * size_of::<Plugin>();
    for memory in [20_012, 40_000, needed - 1] {
        let refusal = limited(&bytes, memory);
        assert_eq!(
            refusal,
            Err(Error::at(Kind::LimitMemoryBytes, 0, "plugins")),
            "{memory}"
        );
    }
    for memory in [0, 1000, 20_011] {
        let refusal = limited(&bytes, memory).unwrap_err();
        assert_eq!(refusal.kind, Kind::LimitMemoryBytes, "{memory}");
    }
    assert_eq!(
        limited(&bytes, needed).map(|value| value.plugins.len()),
        Ok(1000)
    );
}

#[test]
fn a_memory_limit_allows_what_the_value_takes() {
    for value in samples() {
        let bytes = value.encode_to_vec().unwrap();
        let spent = allocation_counter::measure(|| drop(Everything::decode(&bytes)));
        let limits =
            |memory| DecodeOptions::new().with_limits(Limits::new().with_memory_bytes(memory));
        let twice = usize::try_from(2 * spent.bytes_total).unwrap() + bytes.len();
        assert!(Everything::decode_with(&bytes, &limits(twice)).is_ok());
        let refusal = Everything::decode_with(&bytes, &limits(bytes.len() / 2)).unwrap_err();
        assert_eq!(refusal.kind, Kind::LimitMemoryBytes);
    }
}
