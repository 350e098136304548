//! The structs and the numbers of the header, as C has them: it says what each field is.
#![allow(missing_docs, reason = "the header has it")]

use core::ffi::c_void;

/// A text: UTF-8 without a zero behind it. A null pointer is the empty text, of length 0.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Text {
    pub data: *const u8,
    pub length: usize,
}

/// Bytes. A null pointer is no bytes, of length 0.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Bytes {
    pub data: *const u8,
    pub length: usize,
}

/// A key and a value beside a request or an answer.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Pair {
    pub key: Text,
    pub value: Bytes,
}

/// Keys and values.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Pairs {
    pub items: *const Pair,
    pub count: usize,
}

/// A type of a schema, by the facts that Hello compares.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Type {
    pub name: Text,
    pub fingerprints: *const u64,
    pub count: usize,
    pub layout: Text,
}

/// A method.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Method {
    pub service: Text,
    pub name: Text,
    pub number: u32,
    pub kind: u32,
    pub flags: u32,
    pub reserved: u32,
    pub request: *const Type,
    pub response: *const Type,
}

/// A service: a table of methods.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Service {
    pub name: Text,
    pub methods: *const Method,
    pub count: usize,
}

/// The files by which TLS is spoken.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct TlsOptions {
    pub size: u32,
    pub flags: u32,
    pub authority: Text,
    pub certificate: Text,
    pub key: Text,
}

/// The options of a core.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct CoreOptions {
    pub size: u32,
    pub flags: u32,
}

/// The options of a client.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ClientOptions {
    pub size: u32,
    pub flags: u32,
    pub addresses: *const Text,
    pub address_count: usize,
    pub services: *const Service,
    pub service_count: usize,
    pub tls: *const TlsOptions,
    pub connect_timeout_us: i64,
    pub memory_bytes: u64,
    pub connections: u32,
    pub waiting: u32,
}

/// The options of a server.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ServerOptions {
    pub size: u32,
    pub flags: u32,
    pub label: u64,
    pub tls: *const TlsOptions,
    pub memory_bytes: u64,
    pub connections: u64,
}

/// The options of a call, an event or a stream.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct RequestOptions {
    pub size: u32,
    pub flags: u32,
    pub timeout_us: i64,
    pub metadata: *const Pairs,
    pub trace_id: [u8; 16],
    pub trace_parent: u64,
    pub trace_flags: u32,
    pub when_full: u32,
}

/// A failure.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Failure {
    pub size: u32,
    pub status: u32,
    pub acted: u32,
    pub reserved: u32,
    pub name: Text,
    pub text: Text,
    pub details: Bytes,
    pub owner: *mut c_void,
}

/// The parts of a completion that few have.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct More {
    pub size: u32,
    pub acted: u32,
    pub name: Text,
    pub text: Text,
    pub details: Bytes,
    pub peer: Text,
    pub metadata: Pairs,
    pub timeout_us: i64,
    pub trace_id: [u8; 16],
    pub trace_parent: u64,
    pub trace_flags: u32,
    pub has_trace: u32,
}

/// A completion.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Done {
    pub kind: u32,
    pub status: u32,
    pub tag: u64,
    pub id: u64,
    pub service: u32,
    pub method: u32,
    pub value: Bytes,
    pub more: *const More,
    pub owner: *mut c_void,
}

/// The version of the binary interface.
pub const ABI: u32 = 1;

/// The kinds of completions.
pub mod kind {
    pub const TAG: u32 = 1;
    pub const CALL: u32 = 2;
    pub const EVENT: u32 = 3;
    pub const STREAM: u32 = 4;
    pub const GONE: u32 = 5;
    pub const CHUNK: u32 = 6;
    pub const END: u32 = 7;
    pub const CREDIT: u32 = 8;
    pub const OVER: u32 = 9;
}

/// The kinds of methods.
pub mod method {
    pub const CALL: u32 = 1;
    pub const EVENT: u32 = 2;
    pub const STREAM: u32 = 3;
    pub const IDEMPOTENT: u32 = 1;
    pub const CONFIRM: u32 = 2;
}

/// The flags of requests.
pub mod request {
    pub const ACKED: u32 = 1;
    pub const END: u32 = 2;
    pub const TRACE: u32 = 4;
    pub const ALL: u32 = ACKED | END | TRACE;
}

/// The flags of chunks.
pub mod send {
    pub const LAST: u32 = 1;
    pub const ALL: u32 = LAST;
}

/// The flags of servers.
pub mod server {
    pub const OTHER_USERS: u32 = 1;
    pub const REFLECTION: u32 = 2;
    pub const ALL: u32 = OTHER_USERS | REFLECTION;
}
