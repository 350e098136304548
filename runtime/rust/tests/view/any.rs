//! Any bytes may be read: what isn't there is empty, and nothing panics.

use proptest::prelude::*;
use sdp::view::{
    ArrayOf, Bytes, FixedArrayOf, Framed, ItemsOf, Lazy, ListOf, MapOf, Maybe, Shape, Str, Value,
};
use sdp::wire;

use crate::plugin::{plugins, PluginView, PortView};

/// Reads all that a shape shows, and the bytes left behind it.
fn read<E: Shape>(bytes: &[u8]) {
    let mut rest = bytes;
    let text = format!("{:?}", wire::next::<E>(&mut rest));
    assert_eq!(text, format!("{:?}", wire::read::<E>(bytes)));
    assert_eq!(text, format!("{:?}", Lazy::<E>::new(bytes)));
    assert!(rest.len() <= bytes.len());
    assert!(wire::front::<E>(bytes).len() <= bytes.len());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_can_be_read(bytes in prop::collection::vec(0u8..12, 0..60), wild: Vec<u8>) {
        for bytes in [&bytes, &wild] {
            read::<Value<u64>>(bytes);
            read::<Str<1>>(bytes);
            read::<Str<4>>(bytes);
            read::<Bytes<2>>(bytes);
            read::<ItemsOf<4, u32>>(bytes);
            read::<FixedArrayOf<7, u16>>(bytes);
            read::<ListOf<1, ListOf<1, Str<1>>>>(bytes);
            read::<ArrayOf<3, Maybe<Str<2>>>>(bytes);
            read::<MapOf<1, Str<1>, Framed<PortView<'_>>>>(bytes);
            read::<MapOf<1, Value<u8>, MapOf<1, Value<bool>, PluginView<'_>>>>(bytes);
            read::<Maybe<ListOf<1, PluginView<'_>>>>(bytes);
        }
    }

    #[test]
    fn any_list_can_be_resumed(bytes in prop::collection::vec(0u8..5, 0..60)) {
        let (mut list, mut ports) = (plugins(&bytes), 0);
        while let Some(plugin) = list.next() {
            let mut inner = plugin.ports();
            ports += inner.by_ref().count();
            list.resume(inner);
        }
        let walked: usize = plugins(&bytes).map(|plugin| plugin.ports().len()).sum();
        prop_assert_eq!(ports, walked);
    }
}

#[test]
fn what_is_not_there_is_empty() {
    assert_eq!(wire::read::<Value<u32>>(&[1]), 0);
    assert_eq!(wire::read::<Str<1>>(&[2, b'a']), "");
    assert_eq!(wire::read::<Str<1>>(&[1, 0xff]), "");
    assert_eq!(wire::read::<ItemsOf<1, u16>>(&[2, 1, 0]).len(), 0);
    assert_eq!(
        wire::read::<ArrayOf<2, Str<1>>>(&[]).collect::<Vec<_>>(),
        ["", ""]
    );
    assert_eq!(wire::read::<Maybe<Str<1>>>(&[2, 1, b'a']), None);
    assert_eq!(plugins(&[1]).next().map(|plugin| plugin.name()), Some(""));
}
