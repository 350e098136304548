//! Operations that allocate nothing, and operations that allocate once.

use std::hint::black_box;

use golden::plugins::{PluginRegistry, PluginRegistryRef};
use golden::shapes::{Absent, Everything, Grid, GridRef, Log, LogRef};

use crate::bound::rows;
use crate::sample::{everything, registry, samples};

/// The number of an operation's requests for memory, the first time aside.
fn allocations<T>(mut operation: impl FnMut() -> T) -> u64 {
    drop(operation());
    allocation_counter::measure(|| drop(black_box(operation()))).count_total
}

#[test]
fn encoding_into_a_reused_buffer_allocates_nothing() {
    let value = registry();
    let mut buffer = Vec::new();
    let mut append = || {
        buffer.clear();
        value.append(&mut buffer)
    };
    assert_eq!(append(), Ok(()));
    assert_eq!(allocations(append), 0);

    let mut slice = vec![0; value.encoded_size()];
    assert_eq!(allocations(|| value.encode_to_slice(&mut slice)), 0);
    assert_eq!(allocations(|| value.validate()), 0);
    assert_eq!(allocations(|| value.encoded_size()), 0);
}

#[test]
fn encoding_messages_into_a_reused_buffer_allocates_nothing() {
    let value = registry();
    let mut buffer = Vec::new();
    let append = || {
        buffer.clear();
        value.append_message(&mut buffer)
    };
    assert_eq!(allocations(append), 0);
    assert!(buffer.starts_with(b"SDP2\x03\0"));
    assert_eq!(allocations(|| value.message_to_slice(&mut buffer)), 0);
}

#[test]
fn encoding_every_construct_into_a_reused_buffer_allocates_nothing() {
    for value in samples() {
        let mut buffer = Vec::new();
        let append = || {
            buffer.clear();
            value.append(&mut buffer)
        };
        assert_eq!(allocations(append), 0);
    }
}

#[test]
fn a_fresh_encoding_is_one_allocation() {
    let (registry, everything) = (registry(), everything());
    assert_eq!(allocations(|| registry.encode_to_vec()), 1);
    assert_eq!(allocations(|| registry.message_to_vec()), 1);
    assert_eq!(allocations(|| everything.encode_to_vec()), 1);
    assert_eq!(allocations(|| everything.message_to_vec()), 1);
}

#[test]
fn decoding_the_same_into_a_value_allocates_nothing() {
    let mut value = registry();
    let bytes = value.encode_to_vec().unwrap();
    assert_eq!(allocations(|| value.decode_into(&bytes)), 0);
    assert_eq!(value, registry());
}

#[test]
fn decoding_less_into_a_value_allocates_nothing() {
    let mut value = registry();
    let mut fewer = registry();
    fewer.plugins.truncate(9);
    fewer
        .plugins
        .iter_mut()
        .for_each(|plugin| plugin.parameters.truncate(2));
    let bytes = fewer.encode_to_vec().unwrap();
    assert_eq!(allocations(|| value.decode_into(&bytes)), 0);
    assert_eq!(value, fewer);
}

#[test]
fn a_borrowed_registry_allocates_its_lists_alone() {
    let value = registry();
    let bytes = value.encode_to_vec().unwrap();
    let lists = 1 + value
        .plugins
        .iter()
        .filter(|plugin| !plugin.parameters.is_empty())
        .count();
    assert_eq!(
        allocations(|| PluginRegistryRef::decode(&bytes)),
        lists as u64
    );
    let borrowed = PluginRegistryRef::decode(&bytes).unwrap();
    assert_eq!(allocations(|| borrowed.encode_to_vec()), 1);
}

#[test]
fn a_borrowed_list_of_unknown_alternatives_is_one_allocation() {
    let mut log = vec![3, 0, 0, 0];
    (0..3).for_each(|_| log.extend([77, 2, 0, 0, 0, 1, 2]));
    assert_eq!(LogRef::decode(&log).map(|log| log.events.len()), Ok(3));
    assert_eq!(allocations(|| LogRef::decode(&log)), 1);
    assert_eq!(allocations(|| Log::decode(&log)), 1 + 3);
}

#[test]
fn numbers_are_borrowed_where_they_are_aligned() {
    let bytes = rows(5);
    let borrowed = allocations(|| GridRef::decode(&bytes));
    let owned = allocations(|| Grid::decode(&bytes));
    assert_eq!(owned, 1 + 5 * 7);
    let aligned = bytes.as_ptr().align_offset(4) == 0 && cfg!(target_endian = "little");
    assert_eq!(borrowed, if aligned { 1 + 5 * 6 } else { owned });
}

#[test]
fn a_fresh_decoding_allocates_what_the_value_holds() {
    let value = registry();
    let bytes = value.encode_to_vec().unwrap();
    let cloned = allocations(|| value.clone());
    assert_eq!(allocations(|| PluginRegistry::decode(&bytes)), cloned);
}

#[test]
fn an_absent_optional_allocates_nothing() {
    let value = Absent::new();
    let mut slice = [9];
    assert_eq!(allocations(|| value.encode_to_slice(&mut slice)), 0);
    assert_eq!(slice, [0]);
    assert_eq!(allocations(|| Absent::decode(&[0])), 0);
    assert_eq!(
        allocations(|| Absent::decode_message(b"SDP2\x05\0\x01\0\0\0\0")),
        0
    );
}

#[test]
fn what_starts_empty_allocates_nothing() {
    assert_eq!(allocations(PluginRegistry::default), 0);
    // The array of 300 numbers lies in memory of its own, and a default is a text.
    assert_eq!(allocations(Everything::default), 2);
}
