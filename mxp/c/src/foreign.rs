//! Memory of the host, as functions are given it. All of it is copied, and none of it is kept.
#![expect(unsafe_code, reason = "the host gives pointers")]

use core::{ptr, slice};
use std::str;

use mxp::net::Options;
use mxp::session::{MethodName, TraceContext, TypeInfo};

use crate::client::{microseconds, Request};
use crate::code::Code;
use crate::core::Core;
use crate::shapes;
use crate::tls::TlsFiles;

/// A struct of options, all of whose fields are numbers and pointers, of which zero is the default.
///
/// # Safety
///
/// The struct begins with its size, as `u32`, and any bytes are a value of it.
pub(crate) unsafe trait Sized32: Copy {
    /// The default.
    const ZERO: Self;
}

/// Implements the default of structs that may be all zeros.
macro_rules! zero {
    ($($name:ident)*) => {$(
        impl Default for shapes::$name {
            fn default() -> Self {
                // SAFETY: its fields are numbers, pointers and structs of these.
                unsafe { core::mem::zeroed() }
            }
        }
    )*};
}

zero!(Done Failure More Text Bytes Pairs TlsOptions CoreOptions ClientOptions ServerOptions RequestOptions);

/// Implements the reading of structs with a size.
macro_rules! sized {
    ($($name:ident)*) => {$(
        // SAFETY: it begins with its size, and has numbers, pointers and structs of these.
        unsafe impl Sized32 for shapes::$name {
            // SAFETY: as above.
            const ZERO: Self = unsafe { core::mem::zeroed() };
        }
    )*};
}

sized!(TlsOptions CoreOptions ClientOptions ServerOptions RequestOptions Failure);

/// A struct of options. A null pointer is the default; fields behind the size are, too.
///
/// # Safety
///
/// The pointer is null, or has as many readable bytes as its size says.
pub(crate) unsafe fn options<T: Sized32>(pointer: *const T) -> Result<T, Code> {
    let mut options = T::ZERO;
    if pointer.is_null() {
        return Ok(options);
    }
    // SAFETY: the struct begins with its size.
    let size = unsafe { pointer.cast::<u32>().read_unaligned() } as usize;
    if size < 8 || size > size_of::<T>() || size % 8 != 0 {
        return Err(Code::BadSize);
    }
    let target = ptr::addr_of_mut!(options).cast::<u8>();
    // SAFETY: the struct has so many bytes, and the target has no fewer.
    unsafe { ptr::copy_nonoverlapping(pointer.cast::<u8>(), target, size) };
    Ok(options)
}

/// The elements of an array.
///
/// # Safety
///
/// The array has so many elements, which nobody changes meanwhile.
pub(crate) unsafe fn array<'a, T>(items: *const T, count: usize) -> Result<&'a [T], Code> {
    if count == 0 {
        return Ok(&[]);
    }
    if items.is_null() {
        return Err(Code::NullPointer);
    }
    if count > isize::MAX as usize / size_of::<T>().max(1) || !items.is_aligned() {
        return Err(Code::BadValue);
    }
    // SAFETY: the caller promises the elements; null and too many were refused.
    Ok(unsafe { slice::from_raw_parts(items, count) })
}

/// Bytes.
///
/// # Safety
///
/// As [`array`].
pub(crate) unsafe fn bytes<'a>(bytes: shapes::Bytes) -> Result<&'a [u8], Code> {
    // SAFETY: as the caller promises.
    unsafe { array(bytes.data, bytes.length) }
}

/// A text.
///
/// # Safety
///
/// As [`array`].
pub(crate) unsafe fn text<'a>(text: shapes::Text) -> Result<&'a str, Code> {
    // SAFETY: as the caller promises.
    let bytes = unsafe { array(text.data, text.length) }?;
    str::from_utf8(bytes).map_err(|_| Code::BadText)
}

/// Keys and values; a null pointer is none.
///
/// # Safety
///
/// As [`array`], for the pairs, their keys and their values.
pub(crate) unsafe fn pairs(pairs: *const shapes::Pairs) -> Result<Vec<(String, Vec<u8>)>, Code> {
    // SAFETY: as the caller promises.
    let Some(pairs) = (unsafe { pairs.as_ref() }) else {
        return Ok(Vec::new());
    };
    // SAFETY: as the caller promises.
    let pairs = unsafe { array(pairs.items, pairs.count) }?.iter();
    let pairs = pairs.map(|pair| {
        // SAFETY: as the caller promises.
        let (key, value) = unsafe { (text(pair.key)?, bytes(pair.value)?) };
        Ok((key.to_owned(), value.to_vec()))
    });
    pairs.collect()
}

/// A method of a table, as it is copied.
pub(crate) struct Method {
    pub(crate) service: String,
    pub(crate) name: String,
    pub(crate) number: u16,
    pub(crate) kind: u32,
    pub(crate) flags: u32,
}

/// A method.
///
/// # Safety
///
/// The pointer is null, or of a method whose texts are readable.
pub(crate) unsafe fn method(pointer: *const shapes::Method) -> Result<Method, Code> {
    // SAFETY: as the caller promises.
    let method = unsafe { pointer.as_ref() }.ok_or(Code::NullPointer)?;
    let number = u16::try_from(method.number).map_err(|_| Code::BadValue)?;
    let flags = shapes::method::IDEMPOTENT | shapes::method::CONFIRM;
    let is_kind = (shapes::method::CALL..=shapes::method::STREAM).contains(&method.kind);
    if !is_kind || method.flags & !flags != 0 || method.reserved != 0 {
        return Err(Code::BadValue);
    }
    // SAFETY: as the caller promises.
    let (service, name) = unsafe { (text(method.service)?, text(method.name)?) };
    Ok(Method {
        service: service.to_owned(),
        name: name.to_owned(),
        number,
        kind: method.kind,
        flags: method.flags,
    })
}

/// A table of services: names and methods, and the types that these reach.
pub(crate) type Services = (Vec<(String, Vec<Method>)>, Vec<TypeInfo>);

/// Services with their methods and types.
///
/// # Safety
///
/// As [`array`], for all that they point to.
pub(crate) unsafe fn services(
    items: *const shapes::Service,
    count: usize,
) -> Result<Services, Code> {
    let mut types: Vec<TypeInfo> = Vec::new();
    let mut services = Vec::new();
    // SAFETY: as the caller promises.
    for service in unsafe { array(items, count) }? {
        // SAFETY: as the caller promises.
        let (name, table) =
            unsafe { (text(service.name)?, array(service.methods, service.count)?) };
        let mut methods = Vec::new();
        for row in table {
            // SAFETY: as the caller promises.
            let method = unsafe { method(row) }?;
            // SAFETY: as the caller promises.
            let (request, response) = unsafe { (row.request.as_ref(), row.response.as_ref()) };
            for (reached, is_request) in [(request, true), (response, false)] {
                let Some(reached) = reached else { continue };
                // SAFETY: as the caller promises.
                let info = unsafe { type_info(reached) }?;
                let place = types.iter().position(|known| known.name == info.name);
                let place = place.unwrap_or_else(|| {
                    types.push(info);
                    types.len() - 1
                });
                let list = if is_request {
                    &mut types[place].requests
                } else {
                    &mut types[place].responses
                };
                list.push(MethodName::new(name, method.number, &method.name));
            }
            methods.push(method);
        }
        services.push((name.to_owned(), methods));
    }
    Ok((services, types))
}

/// The facts of a type.
///
/// # Safety
///
/// As [`array`], for all that it points to.
unsafe fn type_info(reached: &shapes::Type) -> Result<TypeInfo, Code> {
    // SAFETY: as the caller promises.
    unsafe {
        let fingerprints = array(reached.fingerprints, reached.count)?;
        Ok(TypeInfo::new(
            text(reached.name)?,
            fingerprints,
            text(reached.layout)?,
        ))
    }
}

/// A request of the host's.
///
/// # Safety
///
/// As [`array`], for all that it points to.
pub(crate) unsafe fn request(
    client: u64,
    pointer: *const shapes::Method,
    value: shapes::Bytes,
    given: *const shapes::RequestOptions,
) -> Result<Request, Code> {
    // SAFETY: as the caller promises.
    let (method, value, given) = unsafe { (method(pointer)?, bytes(value)?, options(given)?) };
    if given.flags & !shapes::request::ALL != 0 {
        return Err(Code::BadValue);
    }
    let mut options = Options::new();
    options.deadline = (given.timeout_us > 0).then(|| microseconds(given.timeout_us));
    // SAFETY: as the caller promises.
    options.metadata = unsafe { pairs(given.metadata) }?;
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
        value: value.to_vec(),
        options,
        flags: given.flags,
        when_full: given.when_full,
    })
}

/// The files of TLS, if there are any.
///
/// # Safety
///
/// As [`options`], and as [`array`] for the paths.
pub(crate) unsafe fn tls(pointer: *const shapes::TlsOptions) -> Result<Option<TlsFiles>, Code> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: as the caller promises.
    let files = unsafe { options(pointer) }?;
    if files.flags != 0 {
        return Err(Code::BadValue);
    }
    // SAFETY: as the caller promises.
    let path = |path| Ok(unsafe { text(path) }?.to_owned());
    Ok(Some(TlsFiles {
        authority: path(files.authority)?,
        certificate: path(files.certificate)?,
        key: path(files.key)?,
    }))
}

/// The core of a pointer, if this process may use it.
///
/// # Safety
///
/// The pointer is null, or of a core that was not released.
pub(crate) unsafe fn core<'a>(pointer: *const Core) -> Result<&'a Core, Code> {
    if !pointer.is_aligned() {
        return Err(Code::BadValue);
    }
    // SAFETY: as the caller promises.
    let core = unsafe { pointer.as_ref() }.ok_or(Code::NullPointer)?;
    if core.is_forked() {
        return Err(Code::CoreForked);
    }
    Ok(core)
}
