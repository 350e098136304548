//! Whether two sides mean the same by their types [MXP-6.5 to MXP-6.8].

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

use crate::frame::{hash, Header, Type};
use crate::session::ending::{Fatal, Note};
use crate::session::joint::Joint;
use crate::session::mxp_control::{HelloView, LayoutRef, LayoutsRef, LayoutsView, Tolerance};
use crate::session::queue::Class;
use crate::session::state::Phase;
use crate::session::{Kind, MethodName, Session, TypeInfo};
use sdp::wire::{is_layout_text, LayoutComparison};

/// How many bytes the texts of Layouts have together at most.
const TEXTS_BYTES: usize = 65_536;

/// The types and the Hello that wait for the peer's Layouts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meeting {
    clashes: Vec<Clash>,
    /// The payload of the peer's Hello.
    hello: Box<[u8]>,
}

/// A type that is not compatible with the peer's type of the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clash {
    /// Of the type here.
    place: usize,
    /// Whether both sides gave the hash of the layout: the joint text has the type.
    is_hashed: bool,
    /// Whether one list of fingerprints begins with the other.
    is_alike: bool,
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
struct CommonServices<'a> {
    served: Positions<'a>,
    used: Positions<'a>,
}

impl<'a> CommonServices<'a> {
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

    /// The names of types whose texts the peer may learn.
    fn named(&self, types: Vec<&TypeInfo>) -> Vec<String> {
        let types = types.into_iter().filter(|info| self.concerns(info));
        types.map(|info| info.name.clone()).collect()
    }
}

/// The differences of a type that is not compatible.
#[derive(Default)]
struct Unread {
    /// Why this side does not read what the peer writes.
    inward: Option<String>,
    /// Why the peer does not read what this side writes.
    outward: Option<String>,
}

/// The types that are not compatible, each with its differences.
type Mismatches<'a> = Vec<(&'a TypeInfo, Unread)>;

impl TypeInfo {
    /// Tells the layout text from others; 0 without one [MXP-6.5].
    pub(crate) fn layout_hash(&self) -> u64 {
        if self.text.is_empty() {
            0
        } else {
            hash::of(self.text.as_bytes())
        }
    }
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

    /// The names of the types of which the sides compared fingerprints alone [MXP-6.5]: the peer
    /// is of a release before 0.4, or the texts were too long.
    #[must_use]
    pub fn uncompared(&self) -> &[String] {
        &self.uncompared
    }

    /// The types that are not compatible with the peer's.
    pub(crate) fn compare(&mut self, hello: HelloView<'_>) -> Vec<Clash> {
        let types = self.config.types.iter().enumerate().rev();
        let places: BTreeMap<&str, usize> = types.map(|(i, t)| (&t.name[..], i)).collect();
        let mut peers = vec![None; self.config.types.len()];
        for theirs in hello.types() {
            if let Some(&place) = places.get(theirs.name()) {
                peers[place] = Some(theirs);
            }
        }
        let (mut clashes, mut uncompared) = (Vec::new(), Vec::new());
        for (place, info) in self.config.types.iter().enumerate() {
            let Some(theirs) = peers[place] else {
                continue;
            };
            let (here, there) = (info.layout_hash(), theirs.layout());
            let is_hashed = here != 0 && there != 0;
            // One list begins with the other if they agree as far as both go.
            let ours = info.fingerprints.iter().copied();
            let is_alike = ours.zip(theirs.fingerprints()).all(|(a, b)| a == b);
            if is_hashed && here != there || !is_hashed && !is_alike {
                clashes.push(Clash {
                    place,
                    is_hashed,
                    is_alike,
                });
            } else if !is_hashed {
                uncompared.push(info);
            }
        }
        if !uncompared.is_empty() {
            let shared = CommonServices::new(&self.config.services, Some(hello));
            self.uncompared = shared.named(uncompared);
        }
        clashes
    }

    /// Sends the texts of types, and awaits the peer's.
    pub(crate) fn send_layouts(&mut self, clashes: Vec<Clash>, hello: &[u8], now: u64) {
        let config = core::mem::take(&mut self.config);
        let shared = CommonServices::new(&config.services, HelloView::new(hello).ok());
        let (joint, texts) = texts(&config.types, &clashes, &shared);
        let joint = joint.text();
        let layouts = infos(&config.types, &clashes).zip(texts);
        let layouts =
            layouts.map(|((info, _), text)| LayoutRef::new().with_name(&info.name).with_text(text));
        let layouts = LayoutsRef::new()
            .with_layouts(layouts.collect())
            .with_tolerance(tolerance(&config.types, &clashes))
            .with_joint(&joint);
        // Names and texts are short enough for every Layouts.
        let _ = self.push(Header::new(Type::Hello), Class::Plain, now, |output| {
            layouts.append(output)
        });
        self.config = config;
        let hello = hello.into();
        self.phase = Phase::Comparing(Meeting { clashes, hello });
    }

    /// Finds out which types read each other, and refuses the methods of all others, or
    /// ends the session [MXP-6.6, MXP-6.8].
    pub(crate) fn meet(&mut self, layouts: LayoutsView<'_>) -> Result<(), Fatal> {
        let phase = core::mem::replace(&mut self.phase, Phase::Ready);
        let Phase::Comparing(Meeting { clashes, hello }) = phase else {
            return Ok(());
        };
        let peer = HelloView::new(&hello)?;
        let types = &self.config.types;
        let shared = CommonServices::new(&self.config.services, Some(peer));
        let (found, uncompared) = unread(types, &clashes, &shared, layouts);
        let tolerance = tolerance(types, &clashes);
        let layouts = layouts.tolerance();
        let least = if layouts.number() < tolerance.number() {
            layouts
        } else {
            tolerance
        };
        intolerable(&found, least)?;
        let differences = differ(&found, &shared);
        let uncompared = shared.named(uncompared);
        self.differences = differences;
        self.uncompared.extend(uncompared);
        self.notes.push_back(Note::Ready);
        self.hello = hello;
        Ok(())
    }
}

/// The methods that are refused: who serves one reads its requests, and who calls it
/// the responses.
fn differ(types: &Mismatches<'_>, shared: &CommonServices<'_>) -> Differences {
    let mut found = Differences::default();
    let CommonServices { served, used } = shared;
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
    for (info, unread) in types {
        let (inward, outward) = (unread.inward.as_deref(), unread.outward.as_deref());
        refuse(&info.requests, inward, outward);
    }
    for (info, unread) in types {
        let (inward, outward) = (unread.inward.as_deref(), unread.outward.as_deref());
        refuse(&info.responses, outward, inward);
    }
    found
}

/// The types that are not compatible.
fn infos<'a>(
    types: &'a [TypeInfo],
    clashes: &'a [Clash],
) -> impl Iterator<Item = (&'a TypeInfo, Clash)> {
    let infos = clashes.iter().map(|clash| (types.get(clash.place), clash));
    infos.filter_map(|(info, clash)| Some((info?, *clash)))
}

/// The tolerance of this side for types that are not compatible.
fn tolerance(types: &[TypeInfo], clashes: &[Clash]) -> Tolerance {
    let mut types = infos(types, clashes);
    if types.all(|(info, _)| !info.requests.is_empty() || !info.responses.is_empty()) {
        Tolerance::Methods
    } else {
        Tolerance::Layouts
    }
}

/// Ends the session if one side or the other does not tolerate how the types differ.
fn intolerable(types: &Mismatches<'_>, tolerance: Tolerance) -> Result<(), Fatal> {
    if tolerance.number() >= Tolerance::Methods.number() {
        return Ok(());
    }
    let mut all = types.iter();
    let difference = all.find_map(|(_, unread)| unread.inward.clone().or(unread.outward.clone()));
    let text = match (difference, types.first()) {
        (Some(text), _) => text,
        (None, Some((first, _))) if tolerance == Tolerance::None => {
            format!("{}: fingerprints differ", first.name)
        }
        _ => return Ok(()),
    };
    Err(Fatal {
        kind: Kind::Schema,
        text: Cow::Owned(text),
    })
}

/// Compares the texts of the types. Returns the types that were compared, or can't be read
/// uncompared, and the types whose fingerprints alone are compared.
fn unread<'a>(
    types: &'a [TypeInfo],
    clashes: &'a [Clash],
    shared: &CommonServices<'_>,
    layouts: LayoutsView<'_>,
) -> (Mismatches<'a>, Vec<&'a TypeInfo>) {
    let mut left = TEXTS_BYTES;
    let joint_there = take(&mut left, layouts.joint());
    let mut texts_there = BTreeMap::new();
    for layout in layouts.layouts() {
        let text = take(&mut left, layout.text());
        if is_layout_text(text) {
            texts_there.entry(layout.name()).or_insert(text);
        }
    }
    let (joint, texts) = texts(types, clashes, shared);
    let joint = joint.text();
    let mut joints = LayoutComparison::new(&joint, joint_there);
    let (mut found, mut uncompared) = (Vec::new(), Vec::new());
    for ((info, clash), here) in infos(types, clashes).zip(texts) {
        let there = texts_there.get(&info.name[..]).copied();
        let mut own = LayoutComparison::new(here, there.unwrap_or(""));
        let (compared, root) = if clash.is_hashed {
            let root = joints.as_mut().and_then(|joints| joints.root(&info.name));
            (&mut joints, root)
        } else {
            (&mut own, Some((0, 0)))
        };
        let unread = match (compared, root) {
            (Some(both), Some(root)) => Unread {
                inward: both.unread(root, true),
                outward: both.unread(root, false),
            },
            _ if clash.is_alike => {
                uncompared.push(info);
                Unread::default()
            }
            _ => {
                let unknown = Some(format!("{}: layouts unknown", info.name));
                Unread {
                    inward: unknown.clone(),
                    outward: unknown,
                }
            }
        };
        found.push((info, unread));
    }
    (found, uncompared)
}

/// The joint text of types, and the text of each that does not join, as Layouts have them.
fn texts<'a>(
    types: &'a [TypeInfo],
    clashes: &'a [Clash],
    shared: &CommonServices<'_>,
) -> (Joint<'a>, Vec<&'a str>) {
    let mut left = TEXTS_BYTES;
    let mut joint = Joint::default();
    let texts = infos(types, clashes).map(|(info, clash)| match clash.is_hashed {
        _ if !shared.concerns(info) => "",
        true => {
            left -= joint.add(&info.text, left);
            ""
        }
        false => take(&mut left, &info.text),
    });
    let texts = texts.collect();
    (joint, texts)
}

/// A text, or nothing where there is no room for it.
fn take<'a>(budget: &mut usize, text: &'a str) -> &'a str {
    match budget.checked_sub(text.len()) {
        Some(rest) => {
            *budget = rest;
            text
        }
        None => "",
    }
}
