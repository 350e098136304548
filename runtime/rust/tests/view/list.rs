//! Lists of values of varying size.

use sdp::view::{self, Str};
use sdp::wire;

use crate::plugin::{plugins, PortView, PLUGINS};

type Rows = view::ListOf<1, view::ListOf<1, Str<1>>>;

/// A row of two texts, one of one, and a byte behind them.
const ROWS: &[u8] = b"\x02\x02\x01a\x02bc\x01\x00\xee";

#[test]
fn a_list_hands_out_its_elements_in_order() {
    let mut list = plugins(PLUGINS);
    assert_eq!(
        format!("{list:?}"),
        "[EQ [a=7, =8],  [], Echo [x=1, yy=2, zzz=3]]"
    );
    for (left, name) in [(3, "EQ"), (2, ""), (1, "Echo")] {
        assert_eq!((list.len(), list.is_empty()), (left, false));
        assert_eq!(list.next().map(|plugin| plugin.name()), Some(name));
    }
    for _ in 0..2 {
        assert_eq!((list.len(), list.is_empty()), (0, true));
        assert!(list.next().is_none());
    }
}

#[test]
fn what_is_read_of_an_element_changes_nothing_for_the_next() {
    for read in 0..4 {
        let mut names = Vec::new();
        for plugin in plugins(PLUGINS) {
            names.push(plugin.name());
            names.extend(plugin.ports().take(read).map(|port| port.name()));
        }
        assert_eq!(names.iter().filter(|name| **name == "Echo").count(), 1);
        assert_eq!(names.len(), 3 + 2.min(read) + 3.min(read));
    }
}

#[test]
fn a_list_goes_on_where_the_last_list_of_an_element_was_left() {
    for read in 0..4 {
        let (mut list, mut names) = (plugins(PLUGINS), Vec::new());
        while let Some(plugin) = list.next() {
            let mut ports = plugin.ports();
            names.push(plugin.name());
            names.extend(ports.by_ref().take(read).map(|port| port.name()));
            list.resume(ports);
        }
        let want: Vec<&str> = plugins(PLUGINS)
            .flat_map(|plugin| {
                let ports = plugin.ports().take(read).map(|port| port.name());
                [plugin.name()].into_iter().chain(ports)
            })
            .collect();
        assert_eq!(names, want, "{read} ports read");
    }
}

#[test]
fn a_list_that_is_not_the_last_elements_changes_nothing() {
    let mut other = PLUGINS.to_vec();
    let echo = other.windows(4).position(|bytes| bytes == b"Echo");
    other[echo.unwrap()] = b'O';
    let elsewhere = plugins(&other).next().unwrap().ports();
    let first = plugins(PLUGINS).next().unwrap().ports();
    let end = wire::read::<view::ArrayOf<0, PortView<'_>>>(&PLUGINS[PLUGINS.len() - 1..]);

    let mut list = plugins(PLUGINS);
    let mut names = Vec::new();
    list.resume(first.clone());
    while let Some(plugin) = list.next() {
        names.push(plugin.name());
        list.resume(elsewhere.clone());
        list.resume(end.clone());
        if names.len() > 1 {
            list.resume(first.clone());
        }
    }
    assert_eq!(names, ["EQ", "", "Echo"]);
}

#[test]
fn a_list_that_is_yet_to_come_changes_nothing() {
    let mut rows = wire::read::<Rows>(ROWS);
    let first = rows.clone().next().unwrap();
    rows.resume(first);
    assert_eq!(rows.next().map(|row| row.len()), Some(2));
}

#[test]
fn a_list_can_be_resumed_more_than_once() {
    let mut list = plugins(PLUGINS);
    let first = list.next().unwrap();
    list.resume(first.ports());
    list.resume(first.ports());
    assert_eq!(list.next().map(|plugin| plugin.ports().len()), Some(0));
}

#[test]
fn a_clone_goes_its_own_way() {
    let mut list = plugins(PLUGINS);
    list.next();
    let rest = list.clone();
    assert_eq!(list.count(), 2);
    let names: Vec<&str> = rest.map(|plugin| plugin.name()).collect();
    assert_eq!(names, ["", "Echo"]);
}

#[test]
fn lists_in_lists_are_walked_over_where_they_are_not_read() {
    let mut rest = ROWS;
    let rows = wire::next::<Rows>(&mut rest);
    assert_eq!(rest, b"\xee");
    assert_eq!(format!("{rows:?}"), r#"[["a", "bc"], [""]]"#);
    assert_eq!(rows.clone().last().map(|row| row.len()), Some(1));

    let mut rows = rows;
    let mut texts = Vec::new();
    while let Some(mut row) = rows.next() {
        texts.extend(row.by_ref());
        rows.resume(row);
    }
    assert_eq!(texts, ["a", "bc", ""]);
}

#[test]
fn reading_allocates_nothing() {
    let spent = allocation_counter::measure(|| {
        let mut sum = 0;
        for plugin in plugins(PLUGINS) {
            sum += plugin.name().len();
            for port in plugin.ports() {
                sum += port.name().len() + usize::from(port.level());
            }
        }
        assert_eq!(sum, 6 + 7 + 21);
    });
    assert_eq!(spent.count_total, 0);
}

#[test]
fn what_a_view_hands_out_outlives_it_and_may_be_shared() {
    fn shared<T: Send + Sync + Clone>(value: T) -> T {
        value
    }
    let names: Vec<&'static str> = {
        let list = shared(plugins(PLUGINS));
        let plugin = shared(list.clone().next().unwrap());
        let ports = shared(plugin.ports());
        ports.map(|port| port.name()).collect()
    };
    assert_eq!(names, ["a", ""]);
}
