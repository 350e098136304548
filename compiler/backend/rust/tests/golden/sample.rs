//! Values to test with.

use std::collections::BTreeMap;
use std::f32::consts::PI;

use golden::plugins::{Parameter, Plugin, PluginRegistry};
use golden::shapes::{
    Choice, Event, EventChanged, Everything, Kept, Kind, Large, Mode, Node, Point, Scalars,
    Settings,
};
use sdp::{Duration, Timestamp, Uuid};

use crate::random::Random;

const fn point(x: f32, y: f32) -> Point {
    Point { x, y }
}

pub(crate) fn node(value: u32, left: Option<Node>, right: Option<Node>) -> Node {
    Node {
        value,
        left: left.map(Box::new),
        right: right.map(Box::new),
    }
}

/// A tree of n levels, each but the last with a left branch.
pub(crate) fn chain(levels: u32) -> Node {
    (1..levels).fold(node(1, None, None), |tree, _| node(0, Some(tree), None))
}

fn scalars() -> Scalars {
    let mut id = [0; 16];
    (id[0], id[1], id[15]) = (0x01, 0x93, 0xff);
    Scalars {
        b: true,
        u8: 255,
        u16: 65535,
        u32: 1 << 31,
        u64: u64::MAX,
        i8: -128,
        i16: -32768,
        i32: i32::MIN,
        i64: i64::MIN,
        f32: -0.0,
        f64: f64::from_bits(0x7ff8_0000_0000_0001),
        at: Timestamp(1_795_238_299_123_456_789),
        took: Duration(-1_500_000_000),
        id: Uuid(id),
        kind: Kind::Unknown(200),
        mode: Mode::Off,
        gain: 0.1,
    }
}

fn events() -> Vec<Event> {
    vec![
        Event::Changed(EventChanged { id: 9, value: -0.5 }),
        Event::Stopped,
        Event::Renamed("x".into()),
        Event::Applied(Box::new(Settings::new())),
        Event::Unknown {
            tag: 99,
            payload: vec![0xaa, 0xbb],
        },
    ]
}

fn loaded() -> Event {
    let parameter = Parameter {
        address: 1,
        unit: "dB".into(),
        min_value: -24.0,
        ..Parameter::default()
    };
    Event::Loaded(Box::new(Plugin {
        name: "EQ".into(),
        parameters: vec![parameter],
        ..Plugin::default()
    }))
}

/// A value of every construct, the same as Go's tests have.
pub(crate) fn everything() -> Everything {
    let mut kept = Kept::new().with_a(1).with_b(2);
    kept.set_unknown_fields(b"from a newer release".to_vec());
    let second = Settings::new().with_title("second".into()).with_limit(None);
    let mut large = Large {
        name: "large".into(),
        ..Large::default()
    };
    large.a[15] = std::f64::consts::PI;
    let squares: Vec<u32> = (0..300).map(|i| i * i).collect();
    Everything {
        scalars: scalars(),
        names: ["", "Calf", "Kompressor für Gitarre", "和太鼓"]
            .map(String::from)
            .to_vec(),
        short: "EQ".into(),
        bounded: "four".into(),
        data: vec![0, 1, 0xff],
        points: vec![point(1.0, -2.0), point(f32::INFINITY, 0.0)],
        grid: vec![vec![1.0, 2.0, 3.0], vec![], vec![0.5]],
        flags: vec![true, false, true, true, false, true, false, true, true],
        modes: vec![Mode::On, Mode::Off],
        corner: [point(3.0, 0.0), point(0.0, 4.0)],
        channels: [1.0, 2.0, 3.0, 4.0],
        wide: squares.try_into().unwrap(),
        texts: ["left".into(), "right".into()],
        maybe: Some(7),
        maybe_point: Some(point(9.0, 0.0)),
        maybe_large: Some(Box::new(large)),
        maybe_list: Some(vec![1, 2, 3]),
        maybes: vec![Some("a".into()), None, Some(String::new())],
        tree: Some(Box::new(node(
            1,
            Some(node(2, None, None)),
            Some(node(3, Some(node(4, None, None)), None)),
        ))),
        by_name: BTreeMap::from([
            ("b".into(), point(1.0, 0.0)),
            ("a".into(), point(0.0, 2.0)),
            ("ab".into(), point(0.0, 0.0)),
        ]),
        by_number: BTreeMap::from([
            (-1, "minus one".into()),
            (300, String::new()),
            (0, "zero".into()),
        ]),
        by_kind: BTreeMap::from([(Kind::Instrument, vec![1, 2]), (Kind::Unknown(77), vec![])]),
        by_flag: BTreeMap::from([(true, 1), (false, 0)]),
        settings: Settings::new().with_rate(48000),
        history: vec![Settings::new(), second.with_mode(Mode::Off)],
        kept,
        event: loaded(),
        events: events(),
        choice: Choice::Text("chosen".into()),
        maybe_event: Some(Event::Unknown {
            tag: 255,
            payload: vec![],
        }),
        err: 1,
        len: 2,
        r: 3,
        equal: 4,
        string: 5,
        r#type: 6,
        b: 7,
        encoded_size: 8,
    }
}

/// A registry of as many plugins and parameters as the real one that is measured.
pub(crate) fn registry() -> PluginRegistry {
    const PARAMETERS: u32 = 1759;
    let mut random = Random::new(62);
    let mut plugins: Vec<Plugin> = (0..62)
        .map(|i| Plugin {
            name: random.text(4 + i % 20),
            manufacturer: random.text(12),
            uri: random.text(30 + i % 30),
            class: random.text(9),
            parameters: vec![],
        })
        .collect();
    for i in 0..PARAMETERS {
        let owner = (i * i) as usize % plugins.len();
        plugins[owner].parameters.push(Parameter {
            address: i.into(),
            display_name: random.text(3 + i as usize % 20),
            identifier: random.text(8),
            unit: random.text(i as usize % 3),
            min_value: -PI,
            max_value: PI,
            raw_flags: i % 32,
            is_writable: i % 2 == 0,
            ..Parameter::default()
        });
    }
    PluginRegistry {
        total_plugin_count: 62,
        total_parameter_count: PARAMETERS,
        plugins,
    }
}

/// Values of every construct: one made by hand and some at random.
pub(crate) fn samples() -> Vec<Everything> {
    let random = (0..6).map(|seed| Random::new(seed).everything());
    std::iter::once(everything()).chain(random).collect()
}
