use std::collections::BTreeMap;

use super::{Kind, Mode, Node};

/// Maps with every kind of key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Maps {
    pub flags: BTreeMap<bool, u8>,
    pub numbers: BTreeMap<u64, bool>,
    pub signed: BTreeMap<i8, String>,
    pub names: BTreeMap<String, Vec<u16>>,
    pub kinds: BTreeMap<Kind, Node>,
    pub modes: BTreeMap<Mode, BTreeMap<u8, u8>>,
}

const _: () = {
    use sdp::json;

    const MEMBERS: json::Object = json::Object::of_struct(&[
        json::Field::required("flags", "flags"),
        json::Field::required("numbers", "numbers"),
        json::Field::required("signed", "signed"),
        json::Field::required("names", "names"),
        json::Field::required("kinds", "kinds"),
        json::Field::required("modes", "modes"),
    ]);

    impl json::ToJson for Maps {
        fn write_json(&self, writer: &mut json::Writer) -> Result<(), sdp::Error> {
            writer.object(
                &MEMBERS,
                &[
                    &self.flags,
                    &self.numbers,
                    &self.signed,
                    &self.names,
                    &self.kinds,
                    &self.modes,
                ],
            )
        }
    }

    impl json::FromJson for Maps {
        fn read_json(value: json::Value<'_>) -> Result<Self, sdp::Error> {
            let mut v = Self::default();
            value.object(&MEMBERS, |key, value| match key {
                "flags" => value.read_into(&mut v.flags),
                "numbers" => value.read_into(&mut v.numbers),
                "signed" => value.read_into(&mut v.signed),
                "names" => value.read_into(&mut v.names),
                "kinds" => value.read_into(&mut v.kinds),
                "modes" => value.read_into(&mut v.modes),
                _ => Ok(()),
            })?;
            Ok(v)
        }
    }
};
