//! The functions of the header. Each looks at its arguments, and does the rest elsewhere.
#![expect(unsafe_code, reason = "C calls these functions by name, with pointers")]
#![allow(missing_docs, clippy::missing_safety_doc, reason = "the header has it")]
#![allow(
    clippy::undocumented_unsafe_blocks,
    reason = "pointers are as the header says"
)]

use core::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::{Duration, Instant};

use mxp::net::{Failure, Reply, Server};
use mxp::session::Status;
use tracing::Level;

use crate::client::microseconds;
use crate::code::Code;
use crate::completion::Completion;
use crate::core::Core;
use crate::foreign;
use crate::owner::{release, size_of_u32, tell, text, CorePointer};
use crate::shapes::{self, Bytes, Method, RequestOptions, Service, Text};
use crate::ticket::cancelled;

/// Does something whose panics end here.
fn guarded(action: impl FnOnce() -> Result<(), Code>) -> i32 {
    let done = catch_unwind(AssertUnwindSafe(action)).unwrap_or(Err(Code::Internal));
    done.err().unwrap_or(Code::Ok) as i32
}

/// Makes something that has an id. A failure is told where there is a place for it.
unsafe fn made(out: *mut shapes::Failure, make: impl FnOnce() -> Result<u64, Failure>) -> u64 {
    let tell = |failure| unsafe { tell(out, failure) };
    let done = AssertUnwindSafe(|| make().map_err(tell).unwrap_or(0));
    catch_unwind(done).unwrap_or(0)
}

/// The end of a time in microseconds; a negative one has none.
fn until(timeout_us: i64) -> Option<Instant> {
    (timeout_us >= 0).then(|| Instant::now() + microseconds(timeout_us))
}

/// Declares functions of a core that return a code.
macro_rules! functions {
    ($($name:ident($core:ident $(, $argument:ident: $type:ty)*) $body:expr;)*) => {$(
        #[no_mangle]
        pub unsafe extern "C" fn $name(core: *const Core $(, $argument: $type)*) -> i32 {
            guarded(|| unsafe {
                let $core = &foreign::core(core)?.shared;
                $body
            })
        }
    )*};
}

functions! {
    mxp_core_state(core) core.lock().check();

    mxp_core_stats(core, out: *mut shapes::Stats) {
        if out.is_null() {
            return Err(Code::NullPointer);
        }
        if (*out).size != size_of_u32::<shapes::Stats>() {
            return Err(Code::BadSize);
        }
        out.write(core.stats());
        Ok(())
    };

    mxp_client_close(core, client: u64, tag: u64) core.close_client(client, tag);

    mxp_find_agents(core, client: u64, query: *const shapes::AgentQuery, tag: u64)
        core.find_agents(client, foreign::query(query)?, tag);

    mxp_call(core, client: u64, method: *const Method, value: Bytes, options: *const RequestOptions, tag: u64)
        core.call(foreign::request(client, method, value, options)?, tag);

    mxp_event(core, client: u64, method: *const Method, value: Bytes, options: *const RequestOptions, tag: u64)
        core.event(foreign::request(client, method, value, options)?, tag);

    mxp_open(core, client: u64, method: *const Method, value: Bytes, options: *const RequestOptions, tag: u64)
        core.open(foreign::request(client, method, value, options)?, tag);

    mxp_cancel(core, tag: u64) core.cancel(tag);

    mxp_send(core, stream: u64, chunk: Bytes, flags: u32) {
        if flags & !shapes::send::ALL != 0 {
            return Err(Code::BadValue);
        }
        core.send(stream, foreign::bytes(chunk)?, flags & shapes::send::LAST != 0)
    };

    mxp_end(core, stream: u64) core.end_stream(stream);

    mxp_reset(core, stream: u64) core.break_stream(stream, cancelled());

    mxp_listen(core, server: u64, address: Text, tag: u64)
        core.listen(server, foreign::text(address)?.to_owned(), tag);

    mxp_drain(core, server: u64, reason: Text, tag: u64)
        core.drain(server, foreign::text(reason)?.to_owned(), tag);

    mxp_withdraw(core, id: u64, tag: u64) core.withdraw(id, tag);

    mxp_respond(core, request: u64, value: Bytes, metadata: *const shapes::Pairs) {
        let mut reply = Reply::new(foreign::bytes(value)?.to_vec());
        reply.metadata = foreign::pairs(metadata)?;
        core.respond(request, Ok(reply))
    };

    mxp_fail(core, id: u64, failure: *const shapes::Failure) {
        if failure.is_null() {
            return Err(Code::NullPointer);
        }
        let failure = foreign::options(failure)?;
        let status = u16::try_from(failure.status).map_err(|_| Code::BadValue)?;
        if status == 0 || failure.acted > 1 {
            return Err(Code::BadValue);
        }
        let (name, text) = (foreign::text(failure.name)?, foreign::text(failure.text)?);
        let mut told = Failure::new(Status(status), name, text);
        told.details = foreign::bytes(failure.details)?.to_vec();
        told.acted = failure.acted != 0;
        core.fail(id, &told)
    };
}

#[no_mangle]
pub extern "C" fn mxp_abi() -> u32 {
    shapes::ABI
}

#[no_mangle]
pub extern "C" fn mxp_code_name(code: i32) -> Text {
    let place = usize::try_from(code).ok();
    let code = place.and_then(|place| Code::ALL.get(place));
    text(code.map_or("", |code| code.name()))
}

#[no_mangle]
pub unsafe extern "C" fn mxp_core_new(
    options: *const shapes::CoreOptions,
    out: *mut *mut Core,
    failure: *mut shapes::Failure,
) -> i32 {
    guarded(|| unsafe {
        if out.is_null() {
            return Err(Code::NullPointer);
        }
        out.write(core::ptr::null_mut());
        let options = foreign::options(options)?;
        if options.flags != 0 || options.reserved != 0 {
            return Err(Code::BadValue);
        }
        let level = match options.log_level {
            shapes::log::NONE => None,
            shapes::log::ERROR => Some(Level::ERROR),
            shapes::log::WARN => Some(Level::WARN),
            shapes::log::INFO => Some(Level::INFO),
            shapes::log::DEBUG => Some(Level::DEBUG),
            _ => return Err(Code::BadValue),
        };
        let patience = match options.stuck_us {
            0 => Duration::from_secs(10),
            time => microseconds(time),
        };
        let core = Core::new(patience, level).map_err(|why| {
            tell(failure, why);
            Code::Refused
        })?;
        out.write(Box::into_raw(Box::new(core)));
        Ok(())
    })
}

#[no_mangle]
pub unsafe extern "C" fn mxp_core_waitable(core: *const Core) -> isize {
    unsafe { foreign::core(core) }.map_or(-1, |core| core.shared.waitable.number())
}

#[no_mangle]
pub unsafe extern "C" fn mxp_take(
    core: *const Core,
    out: *mut shapes::Done,
    room: usize,
    timeout_us: i64,
) -> usize {
    let take = || {
        let core = unsafe { foreign::core(core) };
        let Some(core) = core.ok().filter(|_| !out.is_null() && out.is_aligned()) else {
            return 0;
        };
        let put = |place, done: Completion| unsafe { out.add(place).write(done.given()) };
        core.shared.take(room, until(timeout_us), put)
    };
    catch_unwind(AssertUnwindSafe(take)).unwrap_or(0)
}

#[no_mangle]
pub unsafe extern "C" fn mxp_release(owner: *mut c_void) {
    let _ = catch_unwind(AssertUnwindSafe(|| unsafe { release(owner) }));
}

#[no_mangle]
pub unsafe extern "C" fn mxp_core_close(core: *mut Core, timeout_us: i64, tag: u64) -> i32 {
    guarded(|| unsafe { foreign::core(core) }?.close(CorePointer(core), until(timeout_us), tag))
}

/// Declares functions that make an object of a core, and return its id.
macro_rules! makers {
    ($($name:ident($core:ident $(, $argument:ident: $type:ty)*) $body:block)*) => {$(
        #[no_mangle]
        pub unsafe extern "C" fn $name(
            core: *const Core, $($argument: $type,)* failure: *mut shapes::Failure,
        ) -> u64 {
            let make = || unsafe {
                let $core = &foreign::core(core)?.shared;
                $body
            };
            unsafe { made(failure, make) }
        }
    )*};
}

makers! {
    mxp_client_new(core, options: *const shapes::ClientOptions) {
        let numbers = foreign::options(options)?;
        let is_publisher = numbers.flags & shapes::client::PUBLISHER != 0;
        if numbers.flags & !shapes::client::ALL != 0 || is_publisher && numbers.address_count > 0 {
            return Err(Code::BadValue.failure());
        }
        let addresses = foreign::texts(numbers.addresses, numbers.address_count)?;
        let services = foreign::services(numbers.services, numbers.service_count)?;
        let types = services.into_iter().flat_map(|(_, _, types)| types);
        let mut options = foreign::node(numbers.node, numbers.tls)?.types(types);
        if let Some(policy) = foreign::retry(numbers.retry)? {
            options = options.retry(policy);
        }
        #[cfg(feature = "websocket")]
        if let Some(rules) = foreign::websocket(numbers.websocket)? {
            options = options.websocket(rules);
        }
        core.client(options, &addresses, &numbers)
    }

    mxp_server_new(core, services: *const Service, count: usize, options: *const shapes::ServerOptions) {
        let numbers = foreign::options(options)?;
        if numbers.flags & !shapes::server::ALL != 0 {
            return Err(Code::BadValue.failure());
        }
        let mut server = Server::new();
        if let Some(tls) = foreign::tls(numbers.tls)? {
            server = server.tls(tls.of_server()?);
        }
        #[cfg(feature = "websocket")]
        if let Some(rules) = foreign::websocket(numbers.websocket)? {
            server = server.websocket(rules);
        }
        core.server(server, foreign::services(services, count)?, &numbers)
    }

    mxp_announce(core, options: *const shapes::AnnounceOptions) {
        let given = foreign::options(options)?;
        if given.flags != 0 {
            return Err(Code::BadValue.failure());
        }
        let node = foreign::node(given.node, given.tls)?;
        core.announce(node, foreign::agent(&given)?, given.label)
    }

    mxp_subscribe(core, services: *const Service, count: usize, options: *const shapes::SubscribeOptions) {
        let given = foreign::options(options)?;
        if given.flags != 0 || given.reserved != 0 {
            return Err(Code::BadValue.failure());
        }
        let node = foreign::node(given.node, given.tls)?;
        let services = foreign::services(services, count)?;
        core.subscribe(&node, services, foreign::text(given.consumer)?, &given)
    }
}
