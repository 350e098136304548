// A program for the first release, written in every way in which an added field,
// member or alternative could break it.

use sdp::DecodeOptions;

use evolution::{Event, EventRef, Kind, Message, MessageRef, Plugin, Registry, RegistryRef, Session};

fn registry() -> Registry {
    let plugin = Plugin {
        name: "EQ".into(),
        kind: Kind::Effect,
    };
    Registry::new().with_plugins(vec![plugin]).with_total(1)
}

#[test]
fn messages_are_made_and_taken_apart() {
    let bytes = registry().encode_to_vec().unwrap();
    let Registry { plugins, total, .. } = Registry::decode(&bytes).unwrap();
    assert_eq!((plugins.len(), total), (1, 1));
    let RegistryRef { plugins, total, .. } = RegistryRef::decode(&bytes).unwrap();
    assert_eq!((plugins[0].name, total), ("EQ", 1));

    let mut session = Session::new().with_name("first".into());
    session.inner = Some(Box::new(Session::default()));
    let message = session.message_to_vec().unwrap();
    assert_eq!(Session::decode_message(&message).unwrap(), session);
}

#[test]
fn open_enums_are_matched() {
    let name = |kind| match kind {
        Kind::Effect => "effect",
        Kind::Instrument => "instrument",
        _ => "another",
    };
    assert_eq!([Kind::from(1), Kind::from(200)].map(name), ["instrument", "another"]);
}

#[test]
fn open_unions_are_matched() {
    let bytes = Event::Stopped.encode_to_vec().unwrap();
    let stopped = match Event::decode(&bytes).unwrap() {
        Event::Loaded(plugin) => plugin.name.is_empty(),
        Event::Stopped => true,
        _ => false,
    };
    let borrowed = match EventRef::decode(&bytes).unwrap() {
        EventRef::Loaded(plugin) => plugin.name.is_empty(),
        EventRef::Stopped => true,
        _ => false,
    };
    assert!(stopped && borrowed);
    let unknown = Event::decode(&[200, 1, 0, 0, 0, 7]).unwrap();
    assert!(matches!(unknown, Event::Unknown { tag: 200, payload, .. } if payload == [7]));
}

#[test]
fn messages_are_dispatched() {
    let bytes = registry().message_to_vec().unwrap();
    let total = match Message::decode(&bytes).unwrap() {
        Message::Registry(registry) => registry.total,
        Message::Session(_) => 9,
        _ => 0,
    };
    let borrowed = match MessageRef::decode_with(&bytes, &DecodeOptions::new()).unwrap() {
        MessageRef::Registry(registry) => registry.total,
        _ => 0,
    };
    assert_eq!((total, borrowed), (1, 1));
}
