//! Whether two sides mean the same by their types [MXP-6.5, MXP-6.6].

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::frame::{Header, Type};
use crate::session::end::Fatal;
use crate::session::mxp_control::{HelloView, LayoutRef, LayoutsRef, LayoutsView};
use crate::session::queue::Class;
use crate::session::state::Phase;
use crate::session::{Kind, Session, TypeInfo};

/// How many bytes the texts of Layouts have together at most.
const TEXTS_BYTES: usize = 65_536;

impl Session {
    /// The places of the types that are not compatible with the peer's.
    pub(crate) fn compare(&self, hello: HelloView<'_>) -> Vec<usize> {
        let types = self.config.types.iter().enumerate().rev();
        let places: BTreeMap<&str, usize> = types.map(|(i, t)| (&t.name[..], i)).collect();
        let mut differ = vec![false; self.config.types.len()];
        for theirs in hello.types() {
            if let Some(&place) = places.get(theirs.name()) {
                let ours = self.config.types[place].fingerprints.iter().copied();
                // One list begins with the other if they agree as far as both go.
                differ[place] |= ours.zip(theirs.fingerprints()).any(|(a, b)| a != b);
            }
        }
        let places = differ.iter().enumerate();
        places.filter_map(|(i, &d)| d.then_some(i)).collect()
    }

    /// Sends the texts of the types at these places.
    pub(crate) fn send_layouts(&mut self, places: &[usize], now: u64) {
        let config = core::mem::take(&mut self.config);
        let layouts = texts(&config.types, places).into_iter();
        let layouts =
            layouts.map(|(info, text)| LayoutRef::new().with_name(&info.name).with_text(text));
        let layouts = LayoutsRef::new().with_layouts(layouts.collect());
        // Names and texts are short enough for every Layouts.
        let _ = self.push(Header::new(Type::Hello), Class::Plain, now, |out| {
            layouts.append(out)
        });
        self.config = config;
    }

    /// Why types are not compatible, by the peer's texts.
    pub(crate) fn incompatible(&self, theirs: LayoutsView<'_>) -> Fatal {
        let Phase::Layouts(places) = &self.phase else {
            return Kind::Schema.into();
        };
        let mut texts_there = BTreeMap::new();
        for layout in theirs.layouts() {
            texts_there.entry(layout.name()).or_insert(layout.text());
        }
        let ours = texts(&self.config.types, places);
        let difference = ours.iter().find_map(|(info, here)| {
            let there = *texts_there.get(&info.name[..])?;
            difference(&info.name, here, there)
        });
        let first = ours.first().map(|(info, _)| info.name.clone());
        Fatal {
            kind: Kind::Schema,
            text: Cow::Owned(difference.or(first).unwrap_or_default()),
        }
    }
}

/// The types at these places, and their texts as Layouts have them.
fn texts<'a>(types: &'a [TypeInfo], places: &[usize]) -> Vec<(&'a TypeInfo, &'a str)> {
    let mut left = TEXTS_BYTES;
    let types = places.iter().filter_map(|&place| types.get(place));
    let texts = types.map(|info| match left.checked_sub(info.text.len()) {
        Some(rest) => {
            left = rest;
            (info, &info.text[..])
        }
        None => (info, ""),
    });
    texts.collect()
}

/// Where two texts of a type begin to differ, unless they are equal or one is
/// missing.
fn difference(name: &str, here: &str, there: &str) -> Option<String> {
    if here == there || here.is_empty() || there.is_empty() {
        return None;
    }
    let mut block = "";
    let mut here = here.split_terminator('\n');
    let mut there = there.split_terminator('\n');
    loop {
        let (ours, theirs) = (here.next(), there.next());
        if let Some(line) = ours.filter(|line| !line.starts_with([' ', '@'])) {
            block = line.split(' ').nth(2).unwrap_or("");
        }
        if ours != theirs || ours.is_none() {
            let [ours, theirs] = [ours, theirs].map(|line| {
                let line = line.unwrap_or("");
                line.strip_prefix(' ').unwrap_or(line)
            });
            return Some(format!(
                "{name}: {block}: here \"{ours}\", there \"{theirs}\""
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_differs_is_named_with_its_block() {
        let ours = "0 message a.B\n x u8\n y #1\n1 struct a.C\n z u16\n";
        let cases = [
            (
                "0 message a.B\n x u16\n y #1\n1 struct a.C\n z u16\n",
                "a.B: a.B: here \"x u8\", there \"x u16\"",
            ),
            (
                "0 message a.B\n x u8\n y #1\n1 struct a.C\n z u16\n w u8\n",
                "a.B: a.C: here \"\", there \"w u8\"",
            ),
            (
                "0 message a.B\n x u8\n y #1\n",
                "a.B: a.C: here \"1 struct a.C\", there \"\"",
            ),
        ];
        for (theirs, want) in cases {
            assert_eq!(difference("a.B", ours, theirs).unwrap(), want);
        }
        assert_eq!(difference("a.B", ours, ours), None);
        assert_eq!(difference("a.B", ours, ""), None);
    }
}
