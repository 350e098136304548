//! The header, compared with the crate: shapes, constants and functions.

use core::mem::{offset_of, size_of};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::support::{compiled, folder, printed, Library};
use mxp_c::{shapes, Code};

/// The lines that Rust says of a struct, and the program in C that says the same of it.
fn add(rust: &mut String, c: &mut String, name: &str, size: usize, fields: &[(&str, usize)]) {
    let _ = writeln!(rust, "{name} {size}");
    let _ = writeln!(c, "  printf(\"{name} %zu\\n\", sizeof({name}));");
    for (field, offset) in fields {
        let _ = writeln!(rust, "{name}.{field} {offset}");
        let _ = writeln!(
            c,
            "  printf(\"{name}.{field} %zu\\n\", offsetof({name}, {field}));"
        );
    }
}

/// Adds a struct by its names in C and in Rust, and its fields.
macro_rules! shape {
    ($rust:ident, $c:ident, $name:literal, $type:ident, $($field:ident)*) => {
        add(&mut $rust, &mut $c, $name, size_of::<shapes::$type>(), &[$((stringify!($field), offset_of!(shapes::$type, $field))),*]);
    };
}

#[test]
fn structs_are_those_of_the_crate() {
    let (mut rust, mut c) = (String::new(), String::new());
    shape!(rust, c, "mxp_text", Text, data length);
    shape!(rust, c, "mxp_bytes", Bytes, data length);
    shape!(rust, c, "mxp_pair", Pair, key value);
    shape!(rust, c, "mxp_pairs", Pairs, items count);
    shape!(rust, c, "mxp_type", Type, name fingerprints count layout);
    shape!(rust, c, "mxp_method", Method, service name number kind flags reserved request response);
    shape!(rust, c, "mxp_service", Service, name methods count);
    shape!(rust, c, "mxp_tls_options", TlsOptions, size flags authority certificate key);
    shape!(rust, c, "mxp_core_options", CoreOptions, size flags stuck_us log_level reserved);
    shape!(rust, c, "mxp_client_options", ClientOptions, size flags addresses address_count services service_count tls
        connect_timeout_us memory_bytes connections waiting retry websocket node);
    shape!(rust, c, "mxp_retry_options", RetryOptions, size attempts least_pause_us greatest_pause_us budget timeout_us hedge_us);
    shape!(rust, c, "mxp_websocket_options", WebSocketOptions, size flags token hosts host_count origins origin_count
        origin_connections);
    shape!(rust, c, "mxp_server_options", ServerOptions, size flags label tls memory_bytes connections websocket);
    shape!(rust, c, "mxp_request_options", RequestOptions, size flags timeout_us metadata trace_id trace_parent trace_flags
        when_full event_id);
    shape!(rust, c, "mxp_announce_options", AnnounceOptions, size flags label name capabilities capability_count services
        service_count addresses address_count lease_us node tls);
    shape!(rust, c, "mxp_agent_query", AgentQuery, size flags name capability service version timeout_us);
    shape!(rust, c, "mxp_subscribe_options", SubscribeOptions, size flags label node tls consumer start_at start unsettled
        deliveries reserved);
    shape!(rust, c, "mxp_failure", Failure, size status acted reserved name text details owner);
    shape!(rust, c, "mxp_more", More, size acted name text details peer metadata timeout_us trace_id trace_parent trace_flags
        has_trace epoch event_number event_at_ns events_dropped deliveries has_delivery);
    shape!(rust, c, "mxp_stats", Stats, size is_stuck untaken_us queued operations requests streams clients servers);
    shape!(rust, c, "mxp_done", Done, kind status tag id service method value more owner);
    for (name, value) in constants() {
        let _ = writeln!(rust, "{name} {value}");
        let _ = writeln!(c, "  printf(\"{name} %d\\n\", (int){name});");
    }
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layout.c");
    let program =
        format!("#include <stdio.h>\n#include \"mxp.h\"\nint main(void) {{\n{c}  return 0;\n}}\n");
    fs::write(&source, program).unwrap();
    assert_eq!(
        printed(&compiled(&source, "layout", Library::Dynamic, &[]), &[]),
        rust
    );
}

/// The constants of the crate, by their names in C.
fn constants() -> Vec<(String, u32)> {
    use shapes::{client, kind, log, method, method_flags, request, send, server, start};
    let mut all = vec![
        ("MXP_ABI", shapes::ABI),
        ("MXP_KIND_TAG", kind::TAG),
        ("MXP_KIND_CALL", kind::CALL),
        ("MXP_KIND_EVENT", kind::EVENT),
        ("MXP_KIND_STREAM", kind::STREAM),
        ("MXP_KIND_GONE", kind::GONE),
        ("MXP_KIND_CHUNK", kind::CHUNK),
        ("MXP_KIND_END", kind::END),
        ("MXP_KIND_CREDIT", kind::CREDIT),
        ("MXP_KIND_OVER", kind::OVER),
        ("MXP_KIND_LOG", kind::LOG),
        ("MXP_KIND_STANDING", kind::STANDING),
        ("MXP_KIND_UNKNOWN", kind::UNKNOWN),
        ("MXP_CLIENT_PUBLISHER", client::PUBLISHER),
        ("MXP_START_NEW", start::NEW),
        ("MXP_START_FIRST", start::FIRST),
        ("MXP_START_NUMBER", start::NUMBER),
        ("MXP_START_TIME", start::TIME),
        ("MXP_LOG_NONE", log::NONE),
        ("MXP_LOG_ERROR", log::ERROR),
        ("MXP_LOG_WARN", log::WARN),
        ("MXP_LOG_INFO", log::INFO),
        ("MXP_LOG_DEBUG", log::DEBUG),
        ("MXP_METHOD_CALL", method::CALL),
        ("MXP_METHOD_EVENT", method::EVENT),
        ("MXP_METHOD_STREAM", method::STREAM),
        ("MXP_METHOD_IDEMPOTENT", method_flags::IDEMPOTENT),
        ("MXP_METHOD_CONFIRM", method_flags::CONFIRM),
        ("MXP_METHOD_ONE_REQUEST", method_flags::ONE_REQUEST),
        ("MXP_METHOD_ONE_RESPONSE", method_flags::ONE_RESPONSE),
        ("MXP_REQUEST_ACKED", request::ACKED),
        ("MXP_REQUEST_END", request::END),
        ("MXP_REQUEST_TRACE", request::TRACE),
        ("MXP_SEND_LAST", send::LAST),
        ("MXP_SERVER_OTHER_USERS", server::OTHER_USERS),
        ("MXP_SERVER_REFLECTION", server::REFLECTION),
        ("MXP_SERVER_HEALTH", server::HEALTH),
        ("MXP_SERVER_UNKNOWN", server::UNKNOWN),
        ("MXP_FULL_WAIT", 0),
        ("MXP_FULL_REFUSE", 1),
        ("MXP_FULL_DROP_NEWEST", 2),
        ("MXP_FULL_DROP_OLDEST", 3),
    ];
    let codes = Code::ALL
        .iter()
        .map(|code| (code.name().to_uppercase(), *code as u32));
    let codes = codes
        .into_iter()
        .map(|(name, value)| (format!("MXP_{name}"), value));
    let mut named: Vec<_> = all
        .drain(..)
        .map(|(name, value)| (name.to_owned(), value))
        .collect();
    named.extend(codes);
    named
}

/// The words of a text that begin so.
fn words(text: &str, prefix: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words
        .filter(|word| word.starts_with(prefix))
        .map(Into::into)
        .collect()
}

#[test]
fn each_constant_of_the_header_is_compared() {
    let header = fs::read_to_string(folder("include/mxp.h")).unwrap();
    let compared: BTreeSet<_> = constants().into_iter().map(|(name, _)| name).collect();
    let mut defined = words(&header, "MXP_");
    defined.retain(|name| {
        name != "MXP_H"
            && ![
                "MXP_REQUEST_",
                "MXP_SERVER_",
                "MXP_KIND_",
                "MXP_FULL_",
                "MXP_LOG_",
                "MXP_MESH",
                "MXP_CLIENT_",
                "MXP_START_",
            ]
            .contains(&&name[..])
    });
    assert_eq!(defined, compared);
}

#[test]
fn each_function_of_the_crate_is_declared() {
    let header = fs::read_to_string(folder("include/mxp.h")).unwrap();
    let crate_text = fs::read_to_string(folder("src/exports.rs")).unwrap();
    // Functions that a macro makes stand at a line's begin, and the others behind their linkage.
    let exported: BTreeSet<_> = crate_text
        .lines()
        .map(|line| {
            line.split_once("extern \"C\" fn ")
                .map_or(line, |(_, rest)| rest)
                .trim_start()
        })
        .filter_map(|line| line.split_once('('))
        .filter(|(name, _)| name.starts_with("mxp_"))
        .map(|(name, _)| name.to_owned())
        .collect();
    let declared: BTreeSet<_> = header
        .split(';')
        .filter_map(|text| {
            text.rsplit("*/")
                .next()?
                .split_once('(')?
                .0
                .rsplit([' ', '*'])
                .next()
        })
        .filter(|name| name.starts_with("mxp_"))
        .map(ToOwned::to_owned)
        .collect();
    let declared: BTreeSet<_> = declared
        .into_iter()
        .filter(|name| name != "mxp_text_of")
        .collect();
    assert_eq!(declared, exported);
    assert!(exported.len() > 15);
}

#[test]
fn the_header_is_one_of_cpp_too() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join("header.cpp");
    fs::write(
        &source,
        "#include \"mxp.h\"\nint main() { return mxp_abi() == MXP_ABI ? 0 : 1; }\n",
    )
    .unwrap();
    let include = folder("include");
    let mut compiler = std::process::Command::new("c++");
    compiler
        .args([
            "-std=c++17",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
        ])
        .arg(include)
        .arg(source);
    assert!(compiler.status().unwrap().success());
}
