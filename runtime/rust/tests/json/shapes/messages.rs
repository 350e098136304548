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

const _: () = {
    use sdp::json;

    const MEMBERS: json::Object = json::Object::of_message(&[
        json::Field::required("rate", "rate"),
        json::Field::optional("limit", "limit"),
        json::Field::optional("title", "title"),
        json::Field::optional("mode", "mode"),
        json::Field::tail(),
    ]);

    impl json::ToJson for Settings {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object_with_tail(
                &MEMBERS,
                &[&self.rate, &self.limit, &self.title, &self.mode],
                &self.unknown_fields,
            )
        }
    }

    impl json::FromJson for Settings {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            let mut v = Self::default();
            value.object(&MEMBERS, |key, value| match key {
                "rate" => value.read_into(&mut v.rate),
                "limit" => value.read_into(&mut v.limit),
                "title" => value.read_into(&mut v.title),
                "mode" => value.read_into(&mut v.mode),
                "$unknown" => value.read_into(&mut v.unknown_fields),
                _ => Ok(()),
            })?;
            Ok(v)
        }
    }
};

/// A message that drops what it doesn't know.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Session {
    pub events: Vec<Event>,
    pub choice: Option<Choice>,
    pub settings: Settings,
}

const _: () = {
    use sdp::json;

    const MEMBERS: json::Object = json::Object::of_message(&[
        json::Field::required("events", "events"),
        json::Field::optional("choice", "choice"),
        json::Field::optional("settings", "settings"),
    ]);

    impl json::ToJson for Session {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(&MEMBERS, &[&self.events, &self.choice, &self.settings])
        }
    }

    impl json::FromJson for Session {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            let mut v = Self::default();
            value.object(&MEMBERS, |key, value| match key {
                "events" => value.read_into(&mut v.events),
                "choice" => value.read_into(&mut v.choice),
                "settings" => value.read_into(&mut v.settings),
                _ => Ok(()),
            })?;
            Ok(v)
        }
    }
};
