//! Owners: memory that the host borrows until it releases it.
#![expect(
    unsafe_code,
    reason = "the host has pointers to owners, and gives them back"
)]

use core::ffi::c_void;
use core::ptr;

use bytes::Bytes;
use mxp::net::{Failure, Request};
use mxp::session::TraceContext;
use tokio::sync::OwnedSemaphorePermit;

use crate::completion::Completion;
use crate::core::Core;
use crate::shapes;

/// The memory behind an owner's pointer.
pub(crate) enum Owned {
    /// A value, and the things beside it.
    Values(Bytes, Option<Box<Beside>>, Option<Box<View>>),
    /// A chunk, and its place among the chunks of its stream, which is free when this is released.
    Chunk(
        Bytes,
        #[expect(dead_code, reason = "it is dropped")] OwnedSemaphorePermit,
    ),
    /// A core that is closed.
    Core(CorePointer),
}

/// The source of a failure, of metadata, of an epoch, or of facts about a request.
pub(crate) enum Beside {
    Failure(Failure),
    Request(Request),
    Metadata(Vec<(String, Vec<u8>)>),
    /// That of a name which is held.
    Epoch(u64),
}

/// A core, as the host has it.
#[derive(Clone, Copy)]
pub(crate) struct CorePointer(pub(crate) *mut Core);

// SAFETY: a core may be used and dropped on any thread.
unsafe impl Send for CorePointer {}

/// The pointers to a failure, to metadata, or to facts about a request.
pub(crate) struct View {
    more: shapes::More,
    _pairs: Vec<shapes::Pair>,
}

// SAFETY: the pointers lead into memory of the same owner.
unsafe impl Send for View {}

impl Owned {
    /// An owner of values.
    pub(crate) fn new(value: Bytes, beside: Option<Beside>) -> Self {
        Self::Values(value, beside.map(Box::new), None)
    }

    /// Fills a completion with pointers into this.
    fn show(&mut self, done: &mut shapes::Done) {
        if let Self::Values(value, Some(beside), view) = self {
            done.value = bytes(value);
            done.more = &view.insert(Box::new(beside.view())).more;
        } else if let Self::Values(value, ..) | Self::Chunk(value, _) = self {
            done.value = bytes(value);
        }
    }
}

impl Beside {
    fn metadata(&self) -> &[(String, Vec<u8>)] {
        match self {
            Self::Failure(_) | Self::Epoch(_) => &[],
            Self::Request(request) => &request.metadata,
            Self::Metadata(metadata) => metadata,
        }
    }

    fn view(&self) -> View {
        let pairs = self.metadata().iter().map(|(key, value)| shapes::Pair {
            key: text(key),
            value: bytes(value),
        });
        let pairs: Vec<_> = pairs.collect();
        let mut more = shapes::More {
            size: size_of_u32::<shapes::More>(),
            metadata: shapes::Pairs {
                items: start(&pairs),
                count: pairs.len(),
            },
            timeout_us: -1,
            ..shapes::More::default()
        };
        match self {
            Self::Failure(failure) => {
                more.acted = failure.acted.into();
                more.name = text(&failure.name);
                more.text = text(&failure.text);
                more.details = bytes(&failure.details);
                more.peer = text(failure.peer());
            }
            Self::Request(request) => {
                more.peer = text(&request.peer().address);
                if let Some(most) = request.deadline {
                    more.timeout_us = i64::try_from(most.as_micros()).unwrap_or(i64::MAX);
                }
                if let Some(delivery) = request.delivery() {
                    (more.event_number, more.event_at_ns) = (delivery.number, delivery.at.0);
                    more.events_dropped = delivery.dropped;
                    (more.deliveries, more.has_delivery) = (delivery.deliveries, 1);
                }
                if let Some(TraceContext { id, parent, flags }) = request.trace {
                    (more.trace_id, more.trace_parent) = (id, parent);
                    (more.trace_flags, more.has_trace) = (flags.into(), 1);
                }
            }
            Self::Epoch(epoch) => more.epoch = *epoch,
            Self::Metadata(_) => {}
        }
        View {
            more,
            _pairs: pairs,
        }
    }
}

impl Completion {
    /// The completion as the host takes it, with an owner that the host is to release.
    pub(crate) fn given(self) -> shapes::Done {
        let mut done = shapes::Done {
            kind: self.kind,
            status: self.status,
            tag: self.tag,
            id: self.id,
            service: self.service,
            method: self.method,
            ..shapes::Done::default()
        };
        if let Some(owned) = self.owned {
            let owned = Box::into_raw(owned);
            done.owner = owned.cast();
            // SAFETY: the pointer was made above, and nobody else has it.
            unsafe { (*owned).show(&mut done) };
        }
        done
    }
}

/// Tells the host of a failure whose texts it is to release. A struct of another size is left as
/// it is.
///
/// # Safety
///
/// The pointer is null, or that of a struct that may be written.
pub(crate) unsafe fn tell(out: *mut shapes::Failure, failure: Failure) {
    // SAFETY: a size stands at the beginning.
    if out.is_null() || unsafe { (*out).size } != size_of_u32::<shapes::Failure>() {
        return;
    }
    let mut told = shapes::Failure {
        size: size_of_u32::<shapes::Failure>(),
        status: failure.status.0.into(),
        acted: failure.acted.into(),
        ..shapes::Failure::default()
    };
    let owned = Box::new(Owned::new(Bytes::new(), Some(Beside::Failure(failure))));
    if let Owned::Values(_, Some(beside), _) = &*owned {
        let more = beside.view().more;
        (told.name, told.text, told.details) = (more.name, more.text, more.details);
    }
    told.owner = Box::into_raw(owned).cast();
    // SAFETY: the struct has this size, as it says.
    unsafe { out.write(told) };
}

/// Gives an owner back.
///
/// # Safety
///
/// The pointer is null, or of an owner that was not released before.
pub(crate) unsafe fn release(owner: *mut c_void) {
    if owner.is_null() {
        return;
    }
    // SAFETY: the caller promises it.
    let memory = unsafe { Box::from_raw(owner.cast::<Owned>()) };
    if let Owned::Core(CorePointer(core)) = *memory {
        // SAFETY: only the last completion of a core has it.
        let core = unsafe { Box::from_raw(core) };
        core.end();
    }
}

/// The size of a struct, as its first field says it.
pub(crate) const fn size_of_u32<T>() -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "structs are small")]
    let size = size_of::<T>() as u32;
    size
}

/// The first of elements; null where there are none.
fn start<T>(items: &[T]) -> *const T {
    if items.is_empty() {
        return ptr::null();
    }
    items.as_ptr()
}

/// A text as C has it.
pub(crate) fn text(text: &str) -> shapes::Text {
    shapes::Text {
        data: start(text.as_bytes()),
        length: text.len(),
    }
}

fn bytes(bytes: &[u8]) -> shapes::Bytes {
    shapes::Bytes {
        data: start(bytes),
        length: bytes.len(),
    }
}
