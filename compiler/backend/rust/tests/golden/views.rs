//! The parts that views show beside the parts that all forms agree on.

use std::hint::black_box;
use std::thread;

use golden::plugins::{self, Plugin, PluginRegistry, PluginRegistryRef, PluginRegistryView};
use golden::shapes::{
    Event, EventView, Everything, EverythingView, Kept, KeptView, Late, LateView, Message,
    MessageView, Mode, Node, NodeView, Point, Settings, SettingsView, Tree, TreeView,
};
use sdp::{DecodeOptions, Limits};

use crate::sample::{chain, everything, registry, samples};

/// Makes the registry of the results of the view's functions, list by list.
fn read(view: &PluginRegistryView<'_>) -> PluginRegistry {
    let plugin = |plugin: plugins::PluginView<'_>| Plugin {
        name: plugin.name().into(),
        manufacturer: plugin.manufacturer().into(),
        uri: plugin.uri().into(),
        class: plugin.class().into(),
        parameters: plugin.parameters().map(parameter).collect(),
    };
    PluginRegistry {
        plugins: view.plugins().map(plugin).collect(),
        total_plugin_count: view.total_plugin_count(),
        total_parameter_count: view.total_parameter_count(),
    }
}

fn parameter(view: plugins::ParameterView<'_>) -> plugins::Parameter {
    plugins::Parameter {
        address: view.address(),
        display_name: view.display_name().into(),
        identifier: view.identifier().into(),
        unit: view.unit().into(),
        min_value: view.min_value(),
        max_value: view.max_value(),
        default_value: view.default_value(),
        current_value: view.current_value(),
        raw_flags: view.raw_flags(),
        is_writable: view.is_writable(),
        can_ramp: view.can_ramp(),
    }
}

#[test]
fn a_view_shows_every_field_of_the_registry() {
    let value = registry();
    let bytes = value.encode_to_vec().unwrap();
    assert_eq!(read(&PluginRegistryView::new(&bytes).unwrap()), value);
    let message = value.message_to_vec().unwrap();
    let view = PluginRegistryView::from_message(&message).unwrap();
    assert_eq!(read(&view), value);
    assert_eq!(view.as_bytes(), bytes);
}

#[test]
fn validating_and_reading_every_field_allocates_nothing() {
    let bytes = registry().encode_to_vec().unwrap();
    let spent = allocation_counter::measure(|| {
        let view = PluginRegistryView::new(&bytes).unwrap();
        let mut parameters = 0;
        for plugin in view.plugins() {
            black_box((plugin.name(), plugin.manufacturer(), plugin.uri()));
            black_box(plugin.class());
            for parameter in plugin.parameters() {
                black_box((parameter.address(), parameter.display_name()));
                black_box((parameter.identifier(), parameter.unit()));
                black_box((parameter.min_value(), parameter.max_value()));
                black_box((parameter.default_value(), parameter.current_value()));
                black_box((parameter.raw_flags(), parameter.is_writable()));
                black_box(parameter.can_ramp());
                parameters += 1;
            }
        }
        black_box(view.total_plugin_count());
        assert_eq!(view.total_parameter_count(), parameters);
    });
    assert_eq!(spent.count_total, 0);
}

#[test]
fn a_view_of_what_allocates_nothing_needs_no_memory() {
    let bytes = everything().encode_to_vec().unwrap();
    let options = DecodeOptions::new().with_limits(Limits::new().with_memory_bytes(0));
    let view = EverythingView::with(&bytes, &options).unwrap();
    assert_eq!(Everything::from(view), everything());
}

#[test]
fn a_list_can_be_read_on_behind_its_elements_last_lists() {
    let value = registry();
    let bytes = value.encode_to_vec().unwrap();
    let view = PluginRegistryView::new(&bytes).unwrap();
    let mut names = Vec::new();
    let mut plugins = view.plugins();
    while let Some(plugin) = plugins.next() {
        names.push(plugin.name());
        let mut parameters = plugin.parameters();
        names.extend(parameters.by_ref().map(|parameter| parameter.identifier()));
        plugins.resume(parameters);
    }
    let want = value.plugins.iter().flat_map(|plugin| {
        let parameters = plugin.parameters.iter();
        [&plugin.name]
            .into_iter()
            .chain(parameters.map(|parameter| &parameter.identifier))
    });
    assert!(want.eq(names));
}

#[test]
fn a_view_within_another_is_made_into_a_value_by_itself() {
    let value = registry();
    let bytes = value.encode_to_vec().unwrap();
    let view = PluginRegistryView::new(&bytes).unwrap();
    for (plugin, want) in view.plugins().zip(&value.plugins) {
        assert_eq!(Plugin::from(plugin), *want);
        assert_eq!(Plugin::from(plugins::PluginRef::from(plugin)), *want);
        assert_eq!(plugin.as_bytes(), want.encode_to_vec().unwrap());
    }
    let borrowed = PluginRegistryRef::from(view);
    assert_eq!(PluginRegistry::from(borrowed), value);
}

#[test]
fn a_view_taken_by_higher_limits_is_made_into_a_value() {
    let bytes = [&[1, 0, 0, 0].repeat(80)[..], &[0; 4]].concat();
    let options = DecodeOptions::new().with_limits(Limits::new().with_depth(81));
    let view = TreeView::with(&bytes, &options).unwrap();
    assert_eq!(
        Tree::from(view),
        Tree::decode_with(&bytes, &options).unwrap()
    );
}

#[test]
fn missing_segments_have_their_defaults() {
    let view = SettingsView::new(&[5, 0, 0, 0]).unwrap();
    assert_eq!((view.rate(), view.title()), (5, "untitled"));
    assert_eq!((view.limit(), view.mode()), (Some(7), Mode::On));
    assert_eq!(view.origin(), Point::default());
    assert!(SettingsView::with(&[5, 0, 0, 0], &DecodeOptions::new().with_exact(true)).is_err());

    let title = [&[5, 0, 0, 0][..], &[1, 0, 0, 0, b'x', 0]].concat();
    let view = SettingsView::new(&title).unwrap();
    assert_eq!((view.title(), view.limit()), ("x", None));
    assert_eq!(view.mode(), Mode::On);
}

/// A missing struct or message has the content of a new one.
#[test]
fn what_is_missing_can_be_looked_into() {
    let view = LateView::new(&[1]).unwrap();
    assert_eq!((view.numbers().len(), view.array()), (0, [0.0; 4]));
    assert_eq!((view.texts().get("x"), view.name()), (None, ""));
    assert!(view.maybe().is_none());
    assert_eq!(view.settings().title(), "untitled");
    assert_eq!(Settings::from(view.settings()), Settings::new());
    assert_eq!(Late::from(view), Late::new().with_first(1));
}

#[test]
fn a_kept_tail_is_shown() {
    let view = KeptView::new(&[1, 2, 0, 7, 7]).unwrap();
    assert_eq!(
        (view.a(), view.b(), view.unknown_fields()),
        (1, 2, &[7, 7][..])
    );
    assert_eq!(KeptView::new(&[1]).unwrap().unknown_fields(), b"");
    assert_eq!(Kept::from(view).unknown_fields(), &[7, 7]);
    assert_eq!(view.as_bytes(), [1, 2, 0, 7, 7]);
}

#[test]
fn a_unions_view_is_the_alternative() {
    let bytes = [9, 2, 0, 0, 0, 0xaa, 0xbb];
    let Ok(EventView::Unknown { tag: 9, payload }) = EventView::new(&bytes) else {
        panic!("the alternative is unknown");
    };
    assert_eq!(payload, &bytes[5..]);
    let Ok(EventView::Renamed(name)) = EventView::new(b"\x04\x06\0\0\0\x02\0\0\0EQ") else {
        panic!("the alternative is a name");
    };
    assert_eq!(name, "EQ");
    assert_eq!(
        Event::from(EventView::Renamed(name)),
        Event::Renamed("EQ".into())
    );
}

#[test]
fn recursive_types_can_be_walked() {
    fn sum(node: NodeView<'_>) -> u32 {
        let branches = [node.left(), node.right()];
        node.value() + branches.into_iter().flatten().map(sum).sum::<u32>()
    }
    let leaf = |value| Node {
        value,
        ..Node::default()
    };
    let tree = Node {
        value: 1,
        left: Some(Box::new(leaf(20))),
        right: Some(Box::new(leaf(300))),
    };
    let bytes = tree.encode_to_vec().unwrap();
    let view = NodeView::new(&bytes).unwrap();
    assert_eq!(sum(view), 321);
    assert_eq!(view.right().map(Node::from), Some(leaf(300)));
}

/// Validating and walking at the limit of depth crash here if they need more stack
/// than a decoder may [WIRE-8.8].
#[test]
fn views_need_little_stack() {
    let all = || {
        let bytes = chain(64).encode_to_vec().unwrap();
        let view = NodeView::new(&bytes).unwrap();
        assert_eq!(view.as_bytes(), bytes);
        assert!(view.right().is_none());
        assert_eq!(Node::from(view).encode_to_vec(), Ok(bytes));

        let bytes = [&[1, 0, 0, 0].repeat(63)[..], &[0; 4]].concat();
        let view = TreeView::new(&bytes).unwrap();
        assert_eq!(view.as_bytes(), bytes);
        assert_eq!(Tree::from(view).encode_to_vec(), Ok(bytes));
    };
    let small = thread::Builder::new().stack_size(256 << 10);
    small.spawn(all).unwrap().join().unwrap();
}

#[test]
fn messages_are_dispatched_to_views() {
    let mut messages = vec![registry().message_to_vec().unwrap()];
    messages.extend(
        samples()
            .iter()
            .map(|value| value.message_to_vec().unwrap()),
    );
    messages.push(b"SDP2\x03\0\x01\0\0\0\x07".to_vec());
    messages.push(b"SDP2\x09\xff\0\0\0\0".to_vec());
    for message in &messages {
        for n in [message.len(), message.len() - 1, 9, 5] {
            let (owned, view) = (
                Message::decode(&message[..n]),
                MessageView::decode(&message[..n]),
            );
            match (owned, view) {
                (Ok(owned), Ok(view)) => {
                    assert_eq!(owned.type_id(), view.type_id());
                    if let MessageView::Everything(view) = view.clone() {
                        assert_eq!(Message::Everything(view.into()), owned);
                    }
                    let shown = format!("{view:?}").replace("View {", " {");
                    assert_eq!(shown, format!("{owned:?}"));
                }
                (owned, view) => assert_eq!(owned.err(), view.err()),
            }
        }
    }
}

#[test]
fn a_view_may_be_read_by_several_threads() {
    let value = everything();
    let bytes = value.encode_to_vec().unwrap();
    let view = EverythingView::new(&bytes).unwrap();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| assert_eq!(Everything::from(view), value));
        }
    });
}
