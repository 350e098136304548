//! Bytes and their borrowed values, together.

use std::sync::Arc;
use std::thread;

use golden::plugins::{PluginRegistry, PluginRegistryRef};
use golden::shapes::{Everything, EverythingRef};
use sdp::{Error, Kind, Owner};

use crate::sample::{everything, registry};

type Registry = Owner<PluginRegistryRef<'static>>;

#[test]
fn an_owner_goes_to_another_thread() {
    let owner = Registry::decode(registry().encode_to_vec().unwrap()).unwrap();
    let sent = thread::spawn(move || {
        assert_eq!(owner.get().plugins.len(), 62);
        owner
    });
    let owner = sent.join().unwrap();
    assert_eq!(PluginRegistry::from(owner.get()), registry());
}

#[test]
fn an_owner_is_shared_between_threads() {
    let bytes: Arc<[u8]> = everything().encode_to_vec().unwrap().into();
    let owner = Owner::<EverythingRef<'static>, _>::decode(bytes).unwrap();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(Everything::from(owner.get()), everything()));
        }
    });
}

#[test]
fn an_owner_can_be_stored_and_taken_apart() {
    let bytes = registry().message_to_vec().unwrap();
    let mut stored = Vec::new();
    for _ in 0..3 {
        stored.push(Registry::decode_message(bytes.clone()).unwrap());
    }
    let first = stored.remove(0);
    assert_eq!(first.get().total_plugin_count, 62);
    assert_eq!(first.get(), stored[1].get());
    assert!(first.into_bytes() == bytes);
}

#[test]
fn damaged_bytes_have_no_owner() {
    let refusal = Registry::decode(vec![1, 0, 0, 0]).err();
    let want = Error::at(Kind::CountExceedsInput, 0, "plugins");
    assert_eq!(refusal, Some(want));
}
