//! Memory of the host, as functions are given it. All of it is copied, and none of it is kept.
//!
//! # Safety
//!
//! Each pointer is null, or leads to as much readable memory as its type and the count beside it
//! say, which nobody changes before the function returns. That holds for all unsafe code here.
#![expect(unsafe_code, reason = "the host gives pointers")]
#![allow(clippy::undocumented_unsafe_blocks, reason = "the module has it")]

use core::{ptr, slice};

#[cfg(feature = "websocket")]
use mxp::net::transport::WebSocketOptions;
use mxp::net::{ClientOptions, Failure, Options, RetryPolicy};
use mxp::session::{MethodName, Query, Registration, TraceContext, TypeInfo};

#[cfg(feature = "websocket")]
use crate::client::whole;
use crate::client::{microseconds, Request};
use crate::code::Code;
use crate::core::Core;
use crate::policy;
use crate::shapes::{self, Plain};
use crate::tls::TlsFiles;

/// A struct of options. A null pointer is the default; fields behind the size are, too.
pub(crate) unsafe fn options<T: Plain + Default>(pointer: *const T) -> Result<T, Code> {
    let mut options = T::default();
    if pointer.is_null() {
        return Ok(options);
    }
    let size = unsafe { pointer.cast::<u32>().read_unaligned() } as usize;
    if size < 8 || size > size_of::<T>() || size % 8 != 0 {
        return Err(Code::BadSize);
    }
    let target = ptr::addr_of_mut!(options).cast::<u8>();
    unsafe { ptr::copy_nonoverlapping(pointer.cast::<u8>(), target, size) };
    Ok(options)
}

/// The elements of an array.
pub(crate) unsafe fn array<'a, T>(items: *const T, count: usize) -> Result<&'a [T], Code> {
    if count == 0 {
        return Ok(&[]);
    }
    if items.is_null() {
        return Err(Code::NullPointer);
    }
    if count > isize::MAX as usize / size_of::<T>() || !items.is_aligned() {
        return Err(Code::BadValue);
    }
    Ok(unsafe { slice::from_raw_parts(items, count) })
}

/// Bytes.
pub(crate) unsafe fn bytes<'a>(bytes: shapes::Bytes) -> Result<&'a [u8], Code> {
    unsafe { array(bytes.data, bytes.length) }
}

/// A text.
pub(crate) unsafe fn text<'a>(text: shapes::Text) -> Result<&'a str, Code> {
    let bytes = unsafe { array(text.data, text.length) }?;
    core::str::from_utf8(bytes).map_err(|_| Code::BadText)
}

/// Texts.
pub(crate) unsafe fn texts(items: *const shapes::Text, count: usize) -> Result<Vec<String>, Code> {
    let items = unsafe { array(items, count) }?.iter();
    items
        .map(|&item| Ok(unsafe { text(item) }?.to_owned()))
        .collect()
}

/// The struct of a pointer.
unsafe fn item<'a, T>(pointer: *const T) -> Result<Option<&'a T>, Code> {
    if !pointer.is_aligned() {
        return Err(Code::BadValue);
    }
    Ok(unsafe { pointer.as_ref() })
}

/// Keys and values; a null pointer is none.
pub(crate) unsafe fn pairs(pairs: *const shapes::Pairs) -> Result<Vec<(String, Vec<u8>)>, Code> {
    let Some(pairs) = unsafe { item(pairs) }? else {
        return Ok(Vec::new());
    };
    let pairs = unsafe { array(pairs.items, pairs.count) }?.iter();
    let owned = |pair: &shapes::Pair| unsafe {
        Ok((text(pair.key)?.to_owned(), bytes(pair.value)?.to_vec()))
    };
    pairs.map(owned).collect()
}

/// A method of a table, as it is copied.
pub(crate) struct Method {
    pub(crate) service: String,
    pub(crate) name: String,
    pub(crate) number: u16,
    pub(crate) kind: u32,
    pub(crate) flags: u32,
}

impl Method {
    /// The name of its service, and its number.
    pub(crate) fn place(&self) -> (&str, u16) {
        (&self.service, self.number)
    }
}

/// A method.
pub(crate) unsafe fn method(pointer: *const shapes::Method) -> Result<Method, Code> {
    let method = unsafe { item(pointer) }?.ok_or(Code::NullPointer)?;
    let is_kind = (shapes::method::CALL..=shapes::method::STREAM).contains(&method.kind);
    if !is_kind || method.flags & !shapes::method_flags::ALL != 0 || method.reserved != 0 {
        return Err(Code::BadValue);
    }
    Ok(Method {
        service: unsafe { text(method.service) }?.to_owned(),
        name: unsafe { text(method.name) }?.to_owned(),
        number: u16::try_from(method.number).map_err(|_| Code::BadValue)?,
        kind: method.kind,
        flags: method.flags,
    })
}

/// A service of a table: its name, its methods, and the types that these reach.
pub(crate) type Services = Vec<(String, Vec<Method>, Vec<TypeInfo>)>;

/// Services with their methods and types.
pub(crate) unsafe fn services(
    items: *const shapes::Service,
    count: usize,
) -> Result<Services, Code> {
    let mut services = Vec::new();
    for service in unsafe { array(items, count) }? {
        let name = unsafe { text(service.name) }?;
        let (mut methods, mut types) = (Vec::new(), Vec::new());
        for row in unsafe { array(service.methods, service.count) }? {
            let method = unsafe { method(row) }?;
            let reached = MethodName::new(name, method.number, &method.name);
            if let Some(info) = unsafe { type_info(row.request, &mut types) }? {
                info.requests.push(reached.clone());
            }
            if let Some(info) = unsafe { type_info(row.response, &mut types) }? {
                info.responses.push(reached);
            }
            methods.push(method);
        }
        services.push((name.to_owned(), methods, types));
    }
    Ok(services)
}

/// The facts of a type, of which there is one for each name.
unsafe fn type_info(
    pointer: *const shapes::Type,
    types: &mut Vec<TypeInfo>,
) -> Result<Option<&mut TypeInfo>, Code> {
    let Some(reached) = unsafe { item(pointer) }? else {
        return Ok(None);
    };
    let (name, layout) = unsafe { (text(reached.name)?, text(reached.layout)?) };
    let fingerprints = unsafe { array(reached.fingerprints, reached.count) }?;
    let place = types.iter().position(|known| known.name == name);
    let place = place.unwrap_or_else(|| {
        types.push(TypeInfo::new(name, fingerprints, layout));
        types.len() - 1
    });
    Ok(types.get_mut(place))
}

/// A request of the host's.
pub(crate) unsafe fn request(
    client: u64,
    pointer: *const shapes::Method,
    value: shapes::Bytes,
    given: *const shapes::RequestOptions,
) -> Result<Request, Code> {
    let (method, given) = unsafe { (method(pointer)?, options(given)?) };
    if given.flags & !shapes::request::ALL != 0 {
        return Err(Code::BadValue);
    }
    let mut options = Options::new();
    options.deadline = (given.timeout_us > 0).then(|| microseconds(given.timeout_us));
    options.metadata = unsafe { pairs(given.metadata) }?;
    if method.flags & shapes::method_flags::IDEMPOTENT != 0 {
        options = options.idempotent();
    }
    let event_id = unsafe { text(given.event_id) }?;
    if !event_id.is_empty() {
        options = options.with_event_id(event_id);
    }
    if given.flags & shapes::request::TRACE != 0 {
        options.trace = Some(TraceContext {
            id: given.trace_id,
            parent: given.trace_parent,
            flags: u8::try_from(given.trace_flags).map_err(|_| Code::BadValue)?,
        });
    }
    Ok(Request {
        client,
        method,
        value: unsafe { bytes(value) }?.to_vec(),
        options,
        flags: given.flags,
        when_full: given.when_full,
    })
}

/// The files of TLS, if there are any.
pub(crate) unsafe fn tls(pointer: *const shapes::TlsOptions) -> Result<Option<TlsFiles>, Code> {
    if pointer.is_null() {
        return Ok(None);
    }
    let files = unsafe { options(pointer) }?;
    if files.flags != 0 {
        return Err(Code::BadValue);
    }
    let path = |path| Ok(unsafe { text(path) }?.to_owned());
    Ok(Some(TlsFiles {
        authority: path(files.authority)?,
        certificate: path(files.certificate)?,
        key: path(files.key)?,
    }))
}

/// The options of a client that may ask a node, and speak TLS.
pub(crate) unsafe fn node(
    address: shapes::Text,
    files: *const shapes::TlsOptions,
) -> Result<ClientOptions, Failure> {
    let mut options = ClientOptions::new();
    let address = unsafe { text(address) }?;
    if !address.is_empty() {
        options = options.node(address);
    }
    match unsafe { tls(files) }? {
        Some(files) => Ok(options.tls(files.of_client()?)),
        None => Ok(options),
    }
}

/// The entry of a program in a directory.
pub(crate) unsafe fn agent(given: &shapes::AnnounceOptions) -> Result<Registration, Code> {
    let lease = u64::try_from(given.lease_us).map_err(|_| Code::BadValue)?;
    let (name, capabilities, services, addresses) = unsafe {
        (
            text(given.name)?,
            texts(given.capabilities, given.capability_count)?,
            texts(given.services, given.service_count)?,
            texts(given.addresses, given.address_count)?,
        )
    };
    let agent = Registration::new(name).with_lease(lease);
    Ok(agent
        .with_capabilities(capabilities)
        .with_services(services)
        .with_addresses(addresses))
}

/// A query for agents, and its deadline.
pub(crate) unsafe fn query(pointer: *const shapes::AgentQuery) -> Result<(Query, Options), Code> {
    let given = unsafe { options(pointer) }?;
    if given.flags != 0 {
        return Err(Code::BadValue);
    }
    let mut options = Options::new();
    options.deadline = (given.timeout_us > 0).then(|| microseconds(given.timeout_us));
    let (name, capability, service) = unsafe {
        (
            text(given.name)?,
            text(given.capability)?,
            text(given.service)?,
        )
    };
    let query = Query::new().with_name(name).with_version(given.version);
    let query = query.with_capability(capability).with_service(service);
    Ok((query, options))
}

/// A policy of repetitions; a null pointer is none.
pub(crate) unsafe fn retry(
    pointer: *const shapes::RetryOptions,
) -> Result<Option<RetryPolicy>, Code> {
    if pointer.is_null() {
        return Ok(None);
    }
    policy::retry(&unsafe { options(pointer) }?).map(Some)
}

/// The rules of WebSocket; a null pointer is none.
#[cfg(feature = "websocket")]
pub(crate) unsafe fn websocket(
    pointer: *const shapes::WebSocketOptions,
) -> Result<Option<WebSocketOptions>, Code> {
    if pointer.is_null() {
        return Ok(None);
    }
    let given = unsafe { options(pointer) }?;
    if given.flags != 0 {
        return Err(Code::BadValue);
    }
    let hosts = unsafe { texts(given.hosts, given.host_count) }?;
    let origins = unsafe { texts(given.origins, given.origin_count) }?;
    let rules = policy::websocket(unsafe { text(given.token) }?, hosts, origins)?;
    Ok(Some(match given.origin_connections {
        0 => rules,
        most => rules.origin_connections(whole(most)),
    }))
}

/// The core of a pointer, if this process may use it.
pub(crate) unsafe fn core<'a>(pointer: *const Core) -> Result<&'a Core, Code> {
    let core = unsafe { item(pointer) }?.ok_or(Code::NullPointer)?;
    if core.is_forked() {
        return Err(Code::CoreForked);
    }
    Ok(core)
}
