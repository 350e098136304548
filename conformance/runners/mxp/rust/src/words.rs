//! Lines that are words.

use mxp::session::{Query, Registration};

use crate::request::{hex, unhex};

/// The flaw of a line.
pub type Wrong = String;

/// The words `key=value` of a line.
pub struct Words<'a> {
    pairs: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    pub fn parse(words: impl Iterator<Item = &'a str>) -> Result<Self, Wrong> {
        let pairs = words.map(|word| {
            let pair = word.split_once('=');
            pair.ok_or_else(|| format!("{word:?} is not understood"))
        });
        Ok(Self {
            pairs: pairs.collect::<Result<_, _>>()?,
        })
    }

    pub fn get(&self, key: &str) -> Option<&'a str> {
        self.all(key).next()
    }

    pub fn all<'k>(&'k self, key: &'k str) -> impl Iterator<Item = &'a str> + 'k {
        let pairs = self.pairs.iter().filter(move |(found, _)| *found == key);
        pairs.map(|(_, value)| *value)
    }

    /// A number, if it is there.
    pub fn number<T: std::str::FromStr>(&self, key: &str) -> Result<Option<T>, Wrong> {
        let number = |value: &str| value.parse().map_err(|_| wrong(key, value));
        self.get(key).map(number).transpose()
    }

    /// A number that has to be there.
    pub fn must<T: std::str::FromStr>(&self, key: &str) -> Result<T, Wrong> {
        self.number(key)?.ok_or_else(|| format!("{key} is missing"))
    }

    pub fn flag(&self, key: &str) -> Result<bool, Wrong> {
        Ok(self.number::<u8>(key)?.unwrap_or(0) == 1)
    }

    /// Bytes; none if the word is missing.
    pub fn bytes(&self, key: &str) -> Result<Vec<u8>, Wrong> {
        let value = self.get(key).unwrap_or("-");
        unhex(value).ok_or_else(|| wrong(key, value))
    }

    /// A text.
    pub fn text(&self, key: &str) -> Result<String, Wrong> {
        text(key, self.get(key).unwrap_or("-"))
    }

    /// Texts between commas.
    pub fn texts(&self, key: &str) -> Result<Vec<String>, Wrong> {
        match self.get(key).unwrap_or("-") {
            "-" => Ok(Vec::new()),
            list => list.split(',').map(|item| text(key, item)).collect(),
        }
    }

    /// A registration.
    pub fn registration(&self) -> Result<Registration, Wrong> {
        Ok(Registration::new(self.text("name")?)
            .with_capabilities(self.texts("capabilities")?)
            .with_lease(self.must("lease")?)
            .with_addresses(self.texts("addresses")?)
            .with_services(self.texts("services")?)
            .with_epoch(self.number("epoch")?.unwrap_or(0)))
    }

    /// A query.
    pub fn query(&self) -> Result<Query, Wrong> {
        Ok(Query::new()
            .with_capability(self.text("capability")?)
            .with_name(self.text("name")?)
            .with_service(self.text("service")?)
            .with_version(self.number("version")?.unwrap_or(0)))
    }
}

/// A text in hexadecimal.
pub fn text(key: &str, digits: &str) -> Result<String, Wrong> {
    let bytes = unhex(digits).ok_or_else(|| wrong(key, digits))?;
    String::from_utf8(bytes).map_err(|_| wrong(key, digits))
}

pub fn wrong(key: &str, value: &str) -> Wrong {
    format!("{key}={value} is not understood")
}

/// Bytes in hexadecimal, `-` for none.
pub fn digits(bytes: &[u8]) -> String {
    match bytes {
        [] => "-".into(),
        bytes => hex(bytes),
    }
}

/// Texts in hexadecimal between commas, `-` for none.
pub fn listed<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let texts: Vec<_> = texts.map(|text| digits(text.as_bytes())).collect();
    match &texts[..] {
        [] => "-".into(),
        texts => texts.join(","),
    }
}
