//! The structs and the numbers of the header, as C has them. The header says what each field is.
#![allow(missing_docs, reason = "the header has it")]
#![expect(unsafe_code, reason = "structs of C may be all zeros")]

use core::ffi::c_void;

/// A struct of numbers, pointers and structs of these, so that any bytes are a value of it.
///
/// # Safety
///
/// It has no other fields, and no padding.
pub unsafe trait Plain: Copy {}

/// Declares structs of the header, whose default is all zeros.
macro_rules! shapes {
    ($($(#[$doc:meta])* $name:ident { $($field:ident: $type:ty),* $(,)? })*) => {$(
        $(#[$doc])*
        #[repr(C)]
        #[derive(Debug, Clone, Copy)]
        pub struct $name { $(pub $field: $type),* }

        // SAFETY: its fields are numbers, pointers and structs of these, and fill it.
        unsafe impl Plain for $name {}

        impl Default for $name {
            fn default() -> Self {
                // SAFETY: it is plain.
                unsafe { core::mem::zeroed() }
            }
        }
    )*};
}

shapes! {
    /// UTF-8 without a zero at the end.
    Text { data: *const u8, length: usize }
    /// Bytes of any content.
    Bytes { data: *const u8, length: usize }
    /// A key and a value.
    Pair { key: Text, value: Bytes }
    /// Keys and values.
    Pairs { items: *const Pair, count: usize }
    /// A type of a schema.
    Type { name: Text, fingerprints: *const u64, count: usize, layout: Text }
    /// A method of a service.
    Method {
        service: Text, name: Text, number: u32, kind: u32, flags: u32, reserved: u32,
        request: *const Type, response: *const Type,
    }
    /// A service.
    Service { name: Text, methods: *const Method, count: usize }
    /// The files of TLS.
    TlsOptions { size: u32, flags: u32, authority: Text, certificate: Text, key: Text }
    /// A policy of repetitions.
    RetryOptions {
        size: u32, attempts: u32, least_pause_us: i64, greatest_pause_us: i64, budget: f64,
        timeout_us: i64, hedge_us: i64,
    }
    /// The options of WebSocket.
    WebSocketOptions {
        size: u32, flags: u32, token: Text, hosts: *const Text, host_count: usize,
        origins: *const Text, origin_count: usize, origin_connections: u64,
    }
    /// The options of a core.
    CoreOptions { size: u32, flags: u32, stuck_us: i64, log_level: u32, reserved: u32 }
    /// The options of a client.
    ClientOptions {
        size: u32, flags: u32, addresses: *const Text, address_count: usize,
        services: *const Service, service_count: usize, tls: *const TlsOptions,
        connect_timeout_us: i64, memory_bytes: u64, connections: u32, waiting: u32,
        retry: *const RetryOptions, websocket: *const WebSocketOptions, node: Text,
    }
    /// The options of a server.
    ServerOptions {
        size: u32, flags: u32, label: u64, tls: *const TlsOptions, memory_bytes: u64,
        connections: u64, websocket: *const WebSocketOptions,
    }
    /// The options of a call, an event or a stream.
    RequestOptions {
        size: u32, flags: u32, timeout_us: i64, metadata: *const Pairs, trace_id: [u8; 16],
        trace_parent: u64, trace_flags: u32, when_full: u32, event_id: Text,
    }
    /// The entry of a program in the directory of its node.
    AnnounceOptions {
        size: u32, flags: u32, label: u64, name: Text, capabilities: *const Text,
        capability_count: usize, services: *const Text, service_count: usize,
        addresses: *const Text, address_count: usize, lease_us: i64, node: Text,
        tls: *const TlsOptions,
    }
    /// A query for agents.
    AgentQuery {
        size: u32, flags: u32, name: Text, capability: Text, service: Text, version: u64,
        timeout_us: i64,
    }
    /// The options of a subscription.
    SubscribeOptions {
        size: u32, flags: u32, label: u64, node: Text, tls: *const TlsOptions, consumer: Text,
        start_at: u64, start: u32, unsettled: u32, deliveries: u32, reserved: u32,
    }
    /// A failure.
    Failure {
        size: u32, status: u32, acted: u32, reserved: u32, name: Text, text: Text, details: Bytes,
        owner: *mut c_void,
    }
    /// The parts of a completion that few have.
    More {
        size: u32, acted: u32, name: Text, text: Text, details: Bytes, peer: Text, metadata: Pairs,
        timeout_us: i64, trace_id: [u8; 16], trace_parent: u64, trace_flags: u32, has_trace: u32,
        epoch: u64, event_number: u64, event_at_ns: i64, events_dropped: u64, deliveries: u32,
        has_delivery: u32,
    }
    /// The counts of a core.
    Stats {
        size: u32, is_stuck: u32, untaken_us: i64, queued: u64, operations: u64, requests: u64,
        streams: u64, clients: u64, servers: u64,
    }
    /// A completion.
    Done {
        kind: u32, status: u32, tag: u64, id: u64, service: u32, method: u32, value: Bytes,
        more: *const More, owner: *mut c_void,
    }
}

/// Declares numbers of the header.
macro_rules! numbers {
    ($($(#[$doc:meta])* $module:ident { $($name:ident = $value:expr),* $(,)? })*) => {$(
        $(#[$doc])*
        pub mod $module { $(pub const $name: u32 = $value;)* }
    )*};
}

/// The version of the binary interface.
pub const ABI: u32 = 1;

numbers! {
    /// The kinds of completions.
    kind {
        TAG = 1, CALL = 2, EVENT = 3, STREAM = 4, GONE = 5, CHUNK = 6, END = 7, CREDIT = 8, OVER = 9,
        LOG = 10, STANDING = 11, UNKNOWN = 12,
    }
    /// The levels of the log.
    log { NONE = 0, ERROR = 1, WARN = 2, INFO = 3, DEBUG = 4 }
    /// The kinds of methods.
    method { CALL = 1, EVENT = 2, STREAM = 3 }
    /// The flags of methods.
    method_flags { IDEMPOTENT = 1, CONFIRM = 2, ONE_REQUEST = 4, ONE_RESPONSE = 8, ALL = 15 }
    /// The flags of requests.
    request { ACKED = 1, END = 2, TRACE = 4, ALL = 7 }
    /// The flags of chunks.
    send { LAST = 1, ALL = 1 }
    /// The places where new consumers begin.
    start { NEW = 0, FIRST = 1, NUMBER = 2, TIME = 3 }
    /// The flags of clients.
    client { PUBLISHER = 1, ALL = 1 }
    /// The flags of servers.
    server { OTHER_USERS = 1, REFLECTION = 2, HEALTH = 4, UNKNOWN = 8, ALL = 15 }
}
