//! Programs in C, which check the library and end well.

use std::process::id;

use crate::support::{compiled, folder, printed, Library};

#[test]
fn the_example_calls_tells_and_streams() {
    let program = compiled(&folder("examples/echo.c"), "echo", Library::Static, &[]);
    let lines = printed(&program, &[]);
    for line in [
        "answer: hello",
        "event: noted",
        "chunk: first",
        "chunk: second",
        "the stream is over",
    ] {
        assert!(
            lines.lines().any(|printed| printed == line),
            "{line} is not in {lines}"
        );
    }
}

#[test]
fn the_measurement_measures() {
    let program = compiled(&folder("examples/load.c"), "load", Library::Dynamic, &[]);
    let line = printed(&program, &["4", "200", "64"]);
    assert!(line.starts_with("in flight 4, 64 bytes: p5 "), "{line}");
}

/// Runs a program of checks in a folder of its own, and once more under `AddressSanitizer`.
fn checked(name: &str) {
    let source = folder("tests/c").join(format!("{name}.c"));
    let certificates = folder("../rust/tests/net/certificates");
    for (flags, kind) in [
        (&[][..], "plain"),
        (&["-fsanitize=address,undefined"][..], "address"),
    ] {
        let place = std::env::temp_dir().join(format!("mxp-c-{name}-{kind}-{}", id()));
        std::fs::create_dir_all(&place).unwrap();
        let program = compiled(&source, &format!("{name}-{kind}"), Library::Dynamic, flags);
        let said = printed(
            &program,
            &[place.to_str().unwrap(), certificates.to_str().unwrap()],
        );
        std::fs::remove_dir_all(&place).unwrap();
        assert!(said.ends_with("checks\n"), "{said}");
        println!("{name}, {kind}: {said}");
    }
}

#[test]
fn misuse_ends_in_codes() {
    checked("misuse");
}

#[test]
fn calls_and_events_end_once() {
    checked("calls");
}

#[test]
fn ends_are_told_in_order() {
    checked("ends");
}

#[test]
fn streams_have_credit_and_an_end() {
    checked("streams");
}

#[test]
fn lines_of_the_log_have_levels_and_fields() {
    checked("logs");
}

#[test]
fn policies_repeat_and_transports_carry() {
    checked("policies");
}

#[test]
fn memberships_end_also_without_a_node() {
    checked("mesh");
}
