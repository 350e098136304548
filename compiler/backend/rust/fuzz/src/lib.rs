//! The subjects of fuzzing. Each function takes any bytes, and panics where two ways
//! to the same disagree.

#[path = "../../tests/golden/agree.rs"]
mod agree;
mod explaining;
mod streaming;
#[path = "../../tests/golden/values.rs"]
mod values;

use golden::{plugins, shapes};
use sdp::{DecodeOptions, Kind};

use agree::{agree, comes_back, keeps_bound, shows_the_same};
use values::Value;

pub use explaining::explain;
pub use streaming::stream;

/// Decodes bytes as a registry of plugins.
pub fn registry(data: &[u8]) {
    decode::<plugins::PluginRegistry>(data);
}

/// Decodes bytes as a value of every construct.
pub fn everything(data: &[u8]) {
    decode::<shapes::Everything>(data);
}

/// Decodes bytes as a value of any type: the first byte says which.
pub fn types(data: &[u8]) {
    let Some((which, data)) = data.split_first() else {
        return;
    };
    TYPES[usize::from(*which) % TYPES.len()].0(data);
}

/// Reads bytes as the JSON of any type: the first byte says which.
pub fn json(data: &[u8]) {
    let Some((which, text)) = data.split_first() else {
        return;
    };
    TYPES[usize::from(*which) % TYPES.len()].1(text);
}

/// A type's functions that decode and that read JSON.
type Subject = (fn(&[u8]), fn(&[u8]));

const fn subject<T: Value>() -> Subject {
    (decode::<T>, read::<T>)
}

const TYPES: &[Subject] = &[
    subject::<plugins::Parameter>(),
    subject::<plugins::Plugin>(),
    subject::<plugins::PluginRegistry>(),
    subject::<shapes::Scalars>(),
    subject::<shapes::Point>(),
    subject::<shapes::Large>(),
    subject::<shapes::Node>(),
    subject::<shapes::Settings>(),
    subject::<shapes::Kept>(),
    subject::<shapes::Event>(),
    subject::<shapes::EventChanged>(),
    subject::<shapes::Choice>(),
    subject::<shapes::Everything>(),
    subject::<shapes::Absent>(),
    subject::<shapes::Late>(),
    subject::<shapes::Log>(),
    subject::<shapes::Sparse>(),
    subject::<shapes::Tree>(),
    subject::<shapes::Grid>(),
    subject::<shapes::Empty>(),
];

/// Up to how many bytes all that a view shows is compared as text, which takes long.
const SHOWN_BYTES: usize = 200;

/// Decodes bytes in every way. Accepted bytes come back, and refused bytes cost no more memory than
/// accepted ones.
fn decode<T: Value>(data: &[u8]) {
    let options = DecodeOptions::new().with_exact(data.len() % 2 == 1);
    match agree::<T>(data, &options) {
        Ok(value) => {
            comes_back(&value, data, &options);
            if data.len() < SHOWN_BYTES {
                shows_the_same(&value, data, &options);
            }
        }
        Err(refusal) => assert_ne!(refusal.kind, Kind::ValueInvalid, "no decoder reports it"),
    }
    // Memory is measured of some inputs, since naming a refusal takes longest.
    if data.len() / 2 % 4 == 0 {
        keeps_bound::<T>(data);
    }
}

/// Reads JSON. Accepted text is JSON, and its value has the same text again.
fn read<T: Value>(text: &[u8]) {
    let value = match T::from_json(text) {
        Ok(value) => value,
        Err(refusal) => {
            assert_eq!(refusal.kind, Kind::JsonInvalid);
            assert!(refusal.offset.is_some_and(|offset| offset <= text.len()));
            return;
        }
    };
    assert!(serde_json::from_slice::<serde::de::IgnoredAny>(text).is_ok());
    if value.validate().is_ok() {
        let bytes = value.encode_to_vec().unwrap();
        assert_eq!(agree::<T>(&bytes, &DecodeOptions::new()), Ok(value.clone()));
    }
    if let Ok(text) = value.to_json() {
        let again = T::from_json(text.as_bytes()).unwrap();
        assert_eq!(again, value);
        assert_eq!(again.to_json(), Ok(text));
    }
}
