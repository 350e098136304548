//! The logs of libraries, as tests look at them.

use std::fmt::{Debug, Write as _};
use std::sync::{Arc, Mutex, OnceLock};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// A log: the fields of spans and events.
#[derive(Clone, Default)]
pub(crate) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    /// The log of this thread, until the guard is gone.
    pub(crate) fn of_this_thread() -> (Self, DefaultGuard) {
        // As long as there is one subscriber alone, `tracing` asks the thread that comes to an
        // event first whether it has one, and keeps a no for all threads.
        static OTHER: OnceLock<Dispatch> = OnceLock::new();
        OTHER.get_or_init(|| Dispatch::new(Self::default()));
        let log = Self::default();
        let logged = tracing::subscriber::set_default(log.clone());
        (log, logged)
    }

    pub(crate) fn has(&self, words: &[&str]) {
        let lines = self.0.lock().unwrap();
        let has = |line: &String| words.iter().all(|word| line.contains(word));
        assert!(lines.iter().any(has), "{words:?} in {lines:#?}");
    }

    /// The number of events that have a text, without events for debugging.
    pub(crate) fn count(&self, text: &str) -> usize {
        let lines = self.0.lock().unwrap();
        let counts = |line: &&String| !line.starts_with("DEBUG") && line.contains(text);
        lines.iter().filter(counts).count()
    }

    fn add(&self, fill: impl FnOnce(&mut Fields)) {
        let mut fields = Fields::default();
        fill(&mut fields);
        self.0.lock().unwrap().push(fields.0);
    }
}

#[derive(Default)]
struct Fields(String);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        write!(self.0, "{field}={value} ").unwrap();
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{field}={value:?} ").unwrap();
    }
}

impl Subscriber for Log {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        self.add(|fields| span.record(fields));
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        self.add(|fields| {
            write!(fields.0, "{} ", event.metadata().level()).unwrap();
            event.record(fields);
        });
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
