use super::{Choice, Event, Mode};

/// A message that keeps what it doesn't know.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    pub rate: u32,
    pub limit: Option<u32>,
    pub title: String,
    pub mode: Mode,
    pub unknown_fields: Vec<u8>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rate: 0,
            limit: None,
            title: "untitled".into(),
            mode: Mode::On,
            unknown_fields: Vec::new(),
        }
    }
}

sdp::json::record! {
    Settings: of_message {
        rate: required("rate", "rate"),
        limit: optional("limit", "limit"),
        title: optional("title", "title"),
        mode: optional("mode", "mode"),
        ..unknown_fields
    }
}

/// A message that drops what it doesn't know.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Session {
    pub events: Vec<Event>,
    pub choice: Option<Choice>,
    pub settings: Settings,
}

sdp::json::record! {
    Session: of_message {
        events: required("events", "events"),
        choice: optional("choice", "choice"),
        settings: optional("settings", "settings"),
    }
}
