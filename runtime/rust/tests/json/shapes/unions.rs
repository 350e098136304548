use super::Node;

/// An open union.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    Loaded(Node),
    Changed(EventChanged),
    Stopped,
    Moved([i8; 2]),
    Unknown { tag: u8, payload: Vec<u8> },
}

impl Default for Event {
    fn default() -> Self {
        Self::Unknown {
            tag: 0,
            payload: Vec::new(),
        }
    }
}

sdp::json::union! {
    Event: open {
        1 Loaded(payload): "Loaded", "Loaded";
        2 Changed(payload): "Changed", "Changed";
        3 Stopped: "Stopped", "Stopped";
        4 Moved(payload): "Moved", "Moved";
        ..Unknown
    }
}

/// An inline alternative.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventChanged {
    pub id: u32,
    pub value: f32,
}

sdp::json::record! {
    EventChanged: of_struct {
        id: required("id", "id"),
        value: required("v", "value"),
    }
}

/// A closed union.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Choice {
    #[default]
    Nothing,
    Count(u32),
    Event(Event),
    Again(Box<Choice>),
}

sdp::json::union! {
    Choice: closed {
        1 Nothing: "Nothing", "Nothing";
        2 Count(payload): "Count", "Count";
        3 Event(payload): "Event", "Event";
        4 Again(payload): "Again", "Again";
    }
}
