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

const _: () = {
    use sdp::json;

    const ALTERNATIVES: json::Union = json::Union::open(&[
        json::Alternative::new(1, "Loaded", "Loaded"),
        json::Alternative::new(2, "Changed", "Changed"),
        json::Alternative::new(3, "Stopped", "Stopped"),
        json::Alternative::new(4, "Moved", "Moved"),
    ]);

    impl json::ToJson for Event {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            match self {
                Self::Loaded(payload) => writer.alternative(&ALTERNATIVES, 0, payload),
                Self::Changed(payload) => writer.alternative(&ALTERNATIVES, 1, payload),
                Self::Stopped => writer.alternative(&ALTERNATIVES, 2, &()),
                Self::Moved(payload) => writer.alternative(&ALTERNATIVES, 3, payload),
                Self::Unknown { tag, payload } => writer.unknown(&ALTERNATIVES, *tag, payload),
            }
        }
    }

    impl json::FromJson for Event {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            value.union(&ALTERNATIVES, |key, value| match key {
                "Loaded" => value.read().map(Self::Loaded),
                "Changed" => value.read().map(Self::Changed),
                "Stopped" => value.null().map(|()| Self::Stopped),
                "Moved" => value.read().map(Self::Moved),
                _ => {
                    let (tag, payload) = value.unknown(&ALTERNATIVES)?;
                    Ok(Self::Unknown { tag, payload })
                }
            })
        }
    }
};

/// An inline alternative.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventChanged {
    pub id: u32,
    pub value: f32,
}

const _: () = {
    use sdp::json;

    const MEMBERS: json::Object = json::Object::of_struct(&[
        json::Field::required("id", "id"),
        json::Field::required("v", "value"),
    ]);

    impl json::ToJson for EventChanged {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(&MEMBERS, &[&self.id, &self.value])
        }
    }

    impl json::FromJson for EventChanged {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            let mut v = Self::default();
            value.object(&MEMBERS, |key, value| match key {
                "id" => value.read_into(&mut v.id),
                "v" => value.read_into(&mut v.value),
                _ => Ok(()),
            })?;
            Ok(v)
        }
    }
};

/// A closed union.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Choice {
    #[default]
    Nothing,
    Count(u32),
    Event(Event),
    Again(Box<Choice>),
}

const _: () = {
    use sdp::json;

    const ALTERNATIVES: json::Union = json::Union::closed(&[
        json::Alternative::new(1, "Nothing", "Nothing"),
        json::Alternative::new(2, "Count", "Count"),
        json::Alternative::new(3, "Event", "Event"),
        json::Alternative::new(4, "Again", "Again"),
    ]);

    impl json::ToJson for Choice {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            match self {
                Self::Nothing => writer.alternative(&ALTERNATIVES, 0, &()),
                Self::Count(payload) => writer.alternative(&ALTERNATIVES, 1, payload),
                Self::Event(payload) => writer.alternative(&ALTERNATIVES, 2, payload),
                Self::Again(payload) => writer.alternative(&ALTERNATIVES, 3, payload),
            }
        }
    }

    impl json::FromJson for Choice {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            value.union(&ALTERNATIVES, |key, value| match key {
                "Nothing" => value.null().map(|()| Self::Nothing),
                "Count" => value.read().map(Self::Count),
                "Event" => value.read().map(Self::Event),
                _ => value.read().map(Self::Again),
            })
        }
    }
};
