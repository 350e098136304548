//! Lines of the log, as completions: the subscriber of a core's thread, and of calls into it.

use core::fmt::Debug;
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Subscriber};
use tracing::{dispatcher, Dispatch, Event, Level, Metadata};
use tracing_core::span::Current;

use crate::completion::Completion;
use crate::shapes::log;
use crate::shared::{Phase, Shared};

thread_local! {
    /// The spans that this thread is in.
    static ENTERED: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// The lines of a core, up to a level.
pub(crate) struct Log {
    shared: Weak<Shared>,
    level: Level,
    spans: Mutex<Spans>,
}

/// The spans that there are.
#[derive(Default)]
struct Spans {
    open: HashMap<u64, OpenSpan>,
    last: u64,
}

/// A span: its place in the code, its fields and the fields of the spans around it, and the number of holders.
struct OpenSpan {
    place: &'static Metadata<'static>,
    fields: Fields,
    holders: usize,
}

/// The message of a line, and its fields.
#[derive(Default, Clone)]
struct Fields {
    message: String,
    others: Vec<(String, Vec<u8>)>,
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let text = format!("{value:?}");
        if field.name() == "message" {
            self.message = text;
        } else {
            self.others.push((field.name().to_owned(), text.into()));
        }
    }
}

impl Log {
    /// The lines of a core, as the dispatch that threads use.
    pub(crate) fn dispatch(shared: &Arc<Shared>, level: Level) -> Dispatch {
        let shared = Arc::downgrade(shared);
        Dispatch::new(Self {
            shared,
            level,
            spans: Mutex::default(),
        })
    }

    fn spans(&self) -> MutexGuard<'_, Spans> {
        self.spans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fields of a span; of none where there is no such span.
    fn fields(&self, span: Option<u64>) -> Fields {
        let spans = self.spans();
        let span = span.and_then(|span| spans.open.get(&span));
        span.map_or_else(Fields::default, |span| span.fields.clone())
    }
}

/// The innermost span of this thread.
fn innermost() -> Option<u64> {
    ENTERED.with_borrow(|entered| entered.last().copied())
}

impl Subscriber for Log {
    /// Spans of connections are there for any level: they say whose a line is.
    fn enabled(&self, place: &Metadata<'_>) -> bool {
        let is_own = place.target().starts_with("mxp");
        is_own && (*place.level() <= self.level || place.is_span() && *place.level() <= Level::INFO)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let parent = match span.parent() {
            Some(parent) => Some(parent.into_u64()),
            None => innermost().filter(|_| span.is_contextual()),
        };
        let mut fields = self.fields(parent);
        span.record(&mut fields);
        let mut spans = self.spans();
        spans.last += 1;
        let id = spans.last;
        let (place, holders) = (span.metadata(), 1);
        let open = OpenSpan {
            place,
            fields,
            holders,
        };
        spans.open.insert(id, open);
        Id::from_u64(id)
    }

    fn record(&self, span: &Id, values: &Record<'_>) {
        if let Some(span) = self.spans().open.get_mut(&span.into_u64()) {
            values.record(&mut span.fields);
        }
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = self.fields(innermost());
        event.record(&mut fields);
        let level = match *event.metadata().level() {
            Level::ERROR => log::ERROR,
            Level::WARN => log::WARN,
            Level::INFO => log::INFO,
            _ => log::DEBUG,
        };
        if let Some(shared) = self.shared.upgrade() {
            shared.log(level, fields.message, fields.others);
        }
    }

    fn enter(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| entered.push(span.into_u64()));
    }

    fn exit(&self, span: &Id) {
        ENTERED.with_borrow_mut(|entered| {
            if let Some(place) = entered.iter().rposition(|&inner| inner == span.into_u64()) {
                entered.remove(place);
            }
        });
    }

    fn clone_span(&self, span: &Id) -> Id {
        if let Some(span) = self.spans().open.get_mut(&span.into_u64()) {
            span.holders += 1;
        }
        span.clone()
    }

    fn try_close(&self, span: Id) -> bool {
        let mut spans = self.spans();
        let Some(open) = spans.open.get_mut(&span.into_u64()) else {
            return false;
        };
        open.holders -= 1;
        let is_over = open.holders == 0;
        if is_over {
            spans.open.remove(&span.into_u64());
        }
        is_over
    }

    fn current_span(&self) -> Current {
        let spans = self.spans();
        let inner = innermost().and_then(|id| Some((id, spans.open.get(&id)?)));
        inner.map_or_else(Current::none, |(id, span)| {
            Current::new(Id::from_u64(id), span.place)
        })
    }
}

impl Shared {
    /// Has the calls of this thread write to the log of the core, as long as the guard is there.
    pub(crate) fn logged(&self) -> Option<DefaultGuard> {
        self.dispatch.get().map(dispatcher::set_default)
    }

    /// Puts a line into the queue. Where the host takes none, lines are lost and counted.
    fn log(&self, level: u32, message: String, mut fields: Vec<(String, Vec<u8>)>) {
        let mut state = self.lock();
        if state.phase == Phase::Closed {
            return;
        }
        let Ok(permit) = Arc::clone(&self.lines).try_acquire_owned() else {
            state.lost_lines += 1;
            return;
        };
        let lost = core::mem::take(&mut state.lost_lines);
        if lost > 0 {
            fields.push(("lost".to_owned(), lost.to_string().into()));
        }
        let line = Completion::of_line(level, message, fields);
        self.post_in(&mut state, line.with(permit));
    }
}
