//! Decoding into a value that is there.

use golden::plugins::PluginRegistry;
use golden::shapes::Everything;

use crate::random::Random;
use crate::sample::{everything, registry};

#[test]
fn decoding_into_a_value_replaces_all_of_it() {
    let mut into = everything();
    for seed in 0..40 {
        let want = Random::new(seed).everything();
        let bytes = want.encode_to_vec().unwrap();
        into.decode_into(&bytes).unwrap();
        assert_eq!(into, want, "seed {seed}");
        assert!(into.encode_to_vec().unwrap() == bytes);
    }
}

#[test]
fn decoding_into_a_value_works_after_a_refusal() {
    let mut into = everything();
    let bytes = everything().encode_to_vec().unwrap();
    for n in 0..bytes.len() {
        let refusal = into.decode_into(&bytes[..n]);
        assert_eq!(refusal.err(), Everything::decode(&bytes[..n]).err());
        if n % 50 == 0 {
            into.decode_into(&bytes).unwrap();
            assert_eq!(into, everything());
        }
    }
}

#[test]
fn decoding_into_a_value_reuses_its_memory() {
    let mut value = everything();
    let bytes = value.encode_to_vec().unwrap();
    let places = |value: &Everything| {
        let tree = value.tree.as_ref().unwrap();
        [
            value.names[2].as_ptr(),
            value.data.as_ptr(),
            value.grid[0].as_ptr().cast(),
            value.maybe_list.as_ref().unwrap().as_ptr().cast(),
            value.maybe_large.as_ref().unwrap().name.as_ptr(),
            std::ptr::from_ref(&**tree.left.as_ref().unwrap()).cast(),
            value.kept.unknown_fields().as_ptr(),
        ]
    };
    let before = places(&value);
    value.decode_into(&bytes).unwrap();
    assert_eq!(places(&value), before);
}

#[test]
fn a_shorter_list_keeps_its_memory() {
    let mut value = registry();
    let all = value.encode_to_vec().unwrap();
    let mut fewer = registry();
    fewer.plugins.truncate(1);
    let first = value.plugins.as_ptr();
    value.decode_into(&fewer.encode_to_vec().unwrap()).unwrap();
    assert_eq!((value.plugins.as_ptr(), value.plugins.len()), (first, 1));
    value.decode_into(&all).unwrap();
    assert_eq!(value.plugins.as_ptr(), first);
    assert_eq!(value, registry());
}

#[test]
fn memory_of_another_shape_is_replaced() {
    let mut value = PluginRegistry::default();
    for n in [0, 3, 62, 1, 30] {
        let mut want = registry();
        want.plugins.truncate(n);
        value.decode_into(&want.encode_to_vec().unwrap()).unwrap();
        assert_eq!(value, want);
    }
}
