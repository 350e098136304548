//! Whether two sides mean the same by their types [MXP-6.5 to MXP-6.8].

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::frame::{Header, Type};
use crate::session::ending::{Fatal, Note};
use crate::session::layout::{is_text, Layout};
use crate::session::mxp_control::{HelloView, LayoutRef, LayoutsRef, LayoutsView, Tolerance};
use crate::session::queue::Class;
use crate::session::reading::unread;
use crate::session::state::Phase;
use crate::session::{Kind, MethodName, Session, TypeInfo};

/// How many bytes the texts of Layouts have together at most.
const TEXTS_BYTES: usize = 65_536;

/// The types and the Hello that wait for the peer's Layouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meeting {
    /// The places of the types that are not compatible.
    places: Vec<usize>,
    /// The payload of the peer's Hello.
    hello: Box<[u8]>,
}

/// A method that is refused, since its request or its response is of a type that the
/// two sides can't exchange.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The method.
    pub method: MethodName,
    /// Whether this side serves it; else the peer does.
    pub is_served: bool,
    /// Where the types differ first.
    pub text: String,
}

/// The differences that keep methods from being used.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    all: Vec<Difference>,
    /// Their places, by whether this side serves them, and by the numbers of service
    /// and method.
    places: BTreeMap<(bool, u16, u16), usize>,
}

impl Differences {
    pub(crate) fn find(&self, is_served: bool, service: u16, method: u16) -> Option<&Difference> {
        if self.all.is_empty() {
            return None;
        }
        let place = self.places.get(&(is_served, service, method))?;
        self.all.get(*place)
    }

    /// Refuses a method of services at these positions, for the first difference that
    /// there is.
    fn refuse(
        &mut self,
        method: &MethodName,
        is_served: bool,
        services: &Positions<'_>,
        text: &str,
    ) {
        let Some(&service) = services.get(&method.service[..]) else {
            return;
        };
        if let Entry::Vacant(entry) = self.places.entry((is_served, service, method.number)) {
            entry.insert(self.all.len());
            self.all.push(Difference {
                method: method.clone(),
                is_served,
                text: text.into(),
            });
        }
    }
}

/// The numbers of services, by their names.
type Positions<'a> = BTreeMap<&'a str, u16>;

/// Finds them. Of two of one name the first counts: a peer that repeats one has no more
/// refused than there are methods here.
fn positions<'a>(services: impl Iterator<Item = &'a str>) -> Positions<'a> {
    let mut numbers = Positions::new();
    for (number, name) in (0..=u16::MAX).zip(services) {
        numbers.entry(name).or_insert(number);
    }
    numbers
}

/// The services of the two sides.
struct Shared<'a> {
    served: Positions<'a>,
    used: Positions<'a>,
}

impl<'a> Shared<'a> {
    fn new(services: &'a [String], hello: Option<HelloView<'a>>) -> Self {
        let theirs = hello.into_iter().flat_map(|hello| hello.services());
        Self {
            served: positions(services.iter().map(|name| &name[..])),
            used: positions(theirs.map(|service| service.name())),
        }
    }

    /// Whether the peer may learn how a type is laid out: a service that either side serves
    /// reaches it, or nobody knows [MXP-6.5].
    fn concerns(&self, info: &TypeInfo) -> bool {
        let mut methods = info.requests.iter().chain(&info.responses).peekable();
        let is_shared = |method: &MethodName| {
            let service = &method.service[..];
            self.served.contains_key(service) || self.used.contains_key(service)
        };
        methods.peek().is_none() || methods.any(is_shared)
    }
}

/// A type that may mean different bytes on the two sides.
struct Clash<'a> {
    info: &'a TypeInfo,
    /// Why this side does not read what the peer writes.
    inward: Option<String>,
    /// Why the peer does not read what this side writes.
    outward: Option<String>,
}

impl Session {
    /// The methods that are refused.
    #[must_use]
    pub fn differences(&self) -> &[Difference] {
        &self.differences.all
    }

    /// Why requests of a method of the peer's are refused.
    #[must_use]
    pub fn difference(&self, service: u16, method: u16) -> Option<&Difference> {
        self.differences.find(false, service, method)
    }

    /// The places of the types that are not compatible with the peer's.
    pub(crate) fn compare(&self, hello: HelloView<'_>) -> Vec<usize> {
        let types = self.config.types.iter().enumerate().rev();
        let places: BTreeMap<&str, usize> = types.map(|(i, t)| (&t.name[..], i)).collect();
        let mut differ = vec![false; self.config.types.len()];
        for theirs in hello.types() {
            if let Some(&place) = places.get(theirs.name()) {
                let ours = self.config.types[place].fingerprints.iter().copied();
                // One list begins with the other if they agree as far as both go.
                differ[place] = ours.zip(theirs.fingerprints()).any(|(a, b)| a != b);
            }
        }
        let places = differ.iter().enumerate();
        places.filter_map(|(i, &d)| d.then_some(i)).collect()
    }

    /// Sends the texts of the types at these places, and awaits the peer's.
    pub(crate) fn send_layouts(&mut self, places: Vec<usize>, hello: &[u8], now: u64) {
        let config = core::mem::take(&mut self.config);
        let shared = Shared::new(&config.services, HelloView::new(hello).ok());
        let layouts = texts(&config.types, &places, &shared).into_iter();
        let layouts =
            layouts.map(|(info, text)| LayoutRef::new().with_name(&info.name).with_text(text));
        let layouts = LayoutsRef::new()
            .with_layouts(layouts.collect())
            .with_tolerance(tolerance(&config.types, &places));
        // Names and texts are short enough for every Layouts.
        let _ = self.push(Header::new(Type::Hello), Class::Plain, now, |out| {
            layouts.append(out)
        });
        self.config = config;
        let hello = hello.into();
        self.phase = Phase::Comparing(Meeting { places, hello });
    }

    /// Finds out which types read each other, and refuses the methods of all others, or
    /// ends the session [MXP-6.6, MXP-6.8].
    pub(crate) fn meet(&mut self, theirs: LayoutsView<'_>) -> Result<(), Fatal> {
        let phase = core::mem::replace(&mut self.phase, Phase::Ready);
        let Phase::Comparing(Meeting { places, hello }) = phase else {
            return Ok(());
        };
        let peer = HelloView::new(&hello)?;
        let shared = Shared::new(&self.config.services, Some(peer));
        let clashes = clashes(&self.config.types, &places, &shared, theirs);
        let tolerance = tolerance(&self.config.types, &places);
        let theirs = theirs.tolerance();
        let least = if theirs.number() < tolerance.number() {
            theirs
        } else {
            tolerance
        };
        intolerable(&clashes, least)?;
        let differences = differ(&clashes, &shared);
        self.differences = differences;
        self.notes.push_back(Note::Ready);
        self.hello = hello;
        Ok(())
    }
}

/// The methods that are refused: who serves one reads its requests, and who calls it
/// the responses.
fn differ(clashes: &[Clash<'_>], shared: &Shared<'_>) -> Differences {
    let mut found = Differences::default();
    let Shared { served, used } = shared;
    let mut refuse = |methods: &[MethodName], here: Option<&str>, there: Option<&str>| {
        for method in methods {
            if let Some(text) = here {
                found.refuse(method, true, served, text);
            }
            if let Some(text) = there {
                found.refuse(method, false, used, text);
            }
        }
    };
    for clash in clashes {
        let (inward, outward) = (clash.inward.as_deref(), clash.outward.as_deref());
        refuse(&clash.info.requests, inward, outward);
    }
    for clash in clashes {
        let (inward, outward) = (clash.inward.as_deref(), clash.outward.as_deref());
        refuse(&clash.info.responses, outward, inward);
    }
    found
}

/// The tolerance of this side for the types at these places.
fn tolerance(types: &[TypeInfo], places: &[usize]) -> Tolerance {
    let mut types = places.iter().filter_map(|&place| types.get(place));
    if types.all(|info| !info.requests.is_empty() || !info.responses.is_empty()) {
        Tolerance::Methods
    } else {
        Tolerance::Layouts
    }
}

/// Ends the session if one side or the other does not tolerate how the types differ.
fn intolerable(clashes: &[Clash<'_>], tolerance: Tolerance) -> Result<(), Fatal> {
    if tolerance.number() >= Tolerance::Methods.number() {
        return Ok(());
    }
    let mut differences = clashes.iter();
    let difference = differences.find_map(|clash| clash.inward.clone().or(clash.outward.clone()));
    let text = match (difference, clashes.first()) {
        (Some(text), _) => text,
        (None, Some(first)) if tolerance == Tolerance::None => {
            format!("{}: fingerprints differ", first.info.name)
        }
        _ => return Ok(()),
    };
    Err(Fatal {
        kind: Kind::Schema,
        text: Cow::Owned(text),
    })
}

/// Compares the texts of the types at these places.
fn clashes<'a>(
    types: &'a [TypeInfo],
    places: &[usize],
    shared: &Shared<'_>,
    theirs: LayoutsView<'_>,
) -> Vec<Clash<'a>> {
    let mut texts_there = BTreeMap::new();
    let mut left = TEXTS_BYTES;
    for layout in theirs.layouts() {
        let text = take(&mut left, layout.text());
        if is_text(text) {
            texts_there.entry(layout.name()).or_insert(text);
        }
    }
    let clashes = texts(types, places, shared)
        .into_iter()
        .map(|(info, here)| {
            let there = texts_there.get(&info.name[..]);
            let (inward, outward) = if let Some(there) = there.filter(|_| is_text(here)) {
                let (here, there) = (Layout::new(here), Layout::new(there));
                (unread(&here, &there, true), unread(&here, &there, false))
            } else {
                let unknown = Some(format!("{}: layouts unknown", info.name));
                (unknown.clone(), unknown)
            };
            Clash {
                info,
                inward,
                outward,
            }
        });
    clashes.collect()
}

/// The types at these places, and their texts as Layouts have them.
fn texts<'a>(
    types: &'a [TypeInfo],
    places: &[usize],
    shared: &Shared<'_>,
) -> Vec<(&'a TypeInfo, &'a str)> {
    let mut left = TEXTS_BYTES;
    let types = places.iter().filter_map(|&place| types.get(place));
    let texts = types.map(|info| {
        let text = if shared.concerns(info) {
            take(&mut left, &info.text)
        } else {
            ""
        };
        (info, text)
    });
    texts.collect()
}

/// A text, or nothing where there is no room for it.
fn take<'a>(left: &mut usize, text: &'a str) -> &'a str {
    match left.checked_sub(text.len()) {
        Some(rest) => {
            *left = rest;
            text
        }
        None => "",
    }
}
