//! A codec on one data set: what it can do, each thing ready to run and checked against the data.

use std::fmt;
use std::hint::black_box;

pub use crate::case::Case;
use crate::dataset::Data;

#[cfg(test)]
mod tests;

/// How an operation's result differs from the data.
pub type Flaw = String;

/// One case of one codec, ready to run.
pub trait Operation {
    /// Does the work `n` times.
    fn run(&mut self, n: u64);
    /// Does the work once more and compares what came of it.
    fn verify(&mut self) -> Result<(), Flaw>;
}

/// An operation whose result is new each time and dropped at once.
struct Fresh<Op, Check> {
    op: Op,
    check: Check,
}

impl<R, Op: FnMut() -> R, Check: Fn(R) -> Result<(), Flaw>> Operation for Fresh<Op, Check> {
    fn run(&mut self, n: u64) {
        for _ in 0..n {
            // By reference: to move the result would be timed as well.
            let result = (self.op)();
            black_box(&result);
        }
    }

    fn verify(&mut self) -> Result<(), Flaw> {
        (self.check)((self.op)())
    }
}

/// An operation that leaves its result in the memory of the previous run.
struct Reused<S, Op, Check> {
    state: S,
    op: Op,
    check: Check,
}

impl<S, Op: FnMut(&mut S), Check: Fn(&mut S) -> Result<(), Flaw>> Operation
    for Reused<S, Op, Check>
{
    fn run(&mut self, n: u64) {
        for _ in 0..n {
            (self.op)(&mut self.state);
            black_box(&mut self.state);
        }
    }

    fn verify(&mut self) -> Result<(), Flaw> {
        (self.op)(&mut self.state);
        (self.check)(&mut self.state)
    }
}

/// One codec on one data set.
pub struct Subject {
    /// The name in results.
    pub codec: &'static str,
    /// The crate that its version is taken from, none for the standard library.
    pub package: Option<&'static str>,
    /// Size of the encoded data.
    pub bytes: usize,
    /// The cases that it has.
    pub cases: Vec<(Case, Box<dyn Operation>)>,
}

/// Collects the cases of a codec. Data and bytes live as long as the process does, which saves every operation
/// from having to own them.
pub struct Builder<T: 'static> {
    /// The data.
    pub data: &'static T,
    /// Its encoding.
    pub bytes: &'static [u8],
    subject: Subject,
}

/// The bytes in memory that is aligned as the pickiest codec needs it, for as long as the process lives.
pub fn aligned(bytes: &[u8]) -> &'static [u8] {
    let mut aligned = rkyv::util::AlignedVec::<16>::with_capacity(bytes.len());
    aligned.extend_from_slice(bytes);
    Box::leak(Box::new(aligned))
}

impl<T: Data> Builder<T> {
    /// Starts with the codec's encoding of `data`.
    pub fn new(codec: &'static str, package: &'static str, data: &'static T, bytes: &[u8]) -> Self {
        let bytes = aligned(bytes);
        let subject = Subject {
            codec,
            package: Some(package),
            bytes: bytes.len(),
            cases: Vec::new(),
        };
        Self {
            data,
            bytes,
            subject,
        }
    }

    /// The reference rows, which are no codec's.
    pub fn reference(codec: &'static str, data: &'static T) -> Self {
        Self {
            data,
            bytes: &[],
            subject: Subject {
                codec,
                package: None,
                bytes: 0,
                cases: Vec::new(),
            },
        }
    }

    /// The subject that was collected.
    pub fn done(self) -> Subject {
        self.subject
    }

    fn add(mut self, case: Case, operation: impl Operation + 'static) -> Self {
        self.subject.cases.push((case, Box::new(operation)));
        self
    }

    /// Encoding into a new buffer.
    pub fn encode_fresh<R: AsRef<[u8]>>(self, encode: impl Fn(&'static T) -> R + 'static) -> Self {
        let (data, bytes) = (self.data, self.bytes);
        self.encode_fresh_as(Case::EncodeFresh, bytes, move || encode(black_box(data)))
    }

    /// Encoding into a new buffer of the closure's captured value: a codec's own type, or another form.
    pub fn encode_fresh_as<R: AsRef<[u8]>>(
        self,
        case: Case,
        bytes: &'static [u8],
        op: impl FnMut() -> R + 'static,
    ) -> Self {
        self.add(
            case,
            Fresh {
                op,
                check: move |got: R| same_bytes(got.as_ref(), bytes),
            },
        )
    }

    /// Encoding into a vector that was used before; the closure finds it empty.
    pub fn encode_reused(self, encode: impl Fn(&'static T, &mut Vec<u8>) + 'static) -> Self {
        let (data, bytes) = (self.data, self.bytes);
        self.encode_reused_as(Case::EncodeReused, bytes, move |buffer| {
            encode(black_box(data), buffer);
        })
    }

    /// Encoding into a vector of the closure's captured value.
    pub fn encode_reused_as(
        self,
        case: Case,
        bytes: &'static [u8],
        mut op: impl FnMut(&mut Vec<u8>) + 'static,
    ) -> Self {
        let op = move |buffer: &mut Vec<u8>| {
            buffer.clear();
            op(buffer);
        };
        self.encode_with(case, bytes, Vec::new(), op, |buffer| buffer)
    }

    /// Encoding into a codec's own kind of buffer, of which `view` shows the bytes.
    pub fn encode_with<S: 'static>(
        self,
        case: Case,
        bytes: &'static [u8],
        state: S,
        op: impl FnMut(&mut S) + 'static,
        view: impl Fn(&mut S) -> &[u8] + 'static,
    ) -> Self {
        self.add(
            case,
            Reused {
                state,
                op,
                check: move |state: &mut S| same_bytes(view(state), bytes),
            },
        )
    }

    /// Decoding to the data's type.
    pub fn decode_fresh(self, decode: impl Fn(&'static [u8]) -> T + 'static) -> Self {
        let bytes = self.bytes;
        self.decode_as(Case::DecodeFresh, bytes, decode, |value| value)
    }

    /// Decoding to a codec's own type, or to one that borrows, which `plain` turns into the data's.
    pub fn decode_as<R>(
        self,
        case: Case,
        bytes: &'static [u8],
        decode: impl Fn(&'static [u8]) -> R + 'static,
        plain: impl Fn(R) -> T + 'static,
    ) -> Self {
        let data = self.data;
        let check = move |got: R| same(&plain(got), data);
        self.add(
            case,
            Fresh {
                op: move || decode(black_box(bytes)),
                check,
            },
        )
    }

    /// Decoding into the value of the time before.
    pub fn decode_reused<S: Clone + 'static>(
        self,
        state: S,
        decode: impl Fn(&mut S, &'static [u8]) + 'static,
        plain: impl Fn(S) -> T + 'static,
    ) -> Self {
        let (data, bytes) = (self.data, self.bytes);
        let op = move |state: &mut S| decode(state, black_box(bytes));
        let check = move |state: &mut S| same(&plain(state.clone()), data);
        self.add(Case::DecodeReused, Reused { state, op, check })
    }

    /// Reading of fields in place to their checksum.
    pub fn read(self, case: Case, read: impl Fn(&'static [u8]) -> u64 + 'static) -> Self {
        let (bytes, sum) = (self.bytes, self.data.sum());
        let check = move |got| same(&got, &sum);
        self.add(
            case,
            Fresh {
                op: move || read(black_box(bytes)),
                check,
            },
        )
    }

    /// Validation alone. That it looks at the bytes is checked with bytes that lack the last ones.
    pub fn access(self, is_valid: impl Fn(&'static [u8]) -> bool + 'static) -> Self {
        let bytes = self.bytes;
        let truncated = &bytes[..bytes.len() / 2 / 16 * 16];
        assert!(
            truncated.is_empty() || !is_valid(truncated),
            "{}: half of the bytes are valid",
            self.subject.codec
        );
        let check = |valid| same(&valid, &true);
        self.add(
            Case::Access,
            Fresh {
                op: move || is_valid(black_box(bytes)),
                check,
            },
        )
    }

    /// An operation on the data alone.
    pub fn without_bytes(self, case: Case, op: impl Fn(&'static T) -> T + 'static) -> Self {
        let data = self.data;
        self.add(
            case,
            Fresh {
                op: move || op(black_box(data)),
                check: move |got: T| same(&got, data),
            },
        )
    }
}

fn same_bytes(got: &[u8], want: &[u8]) -> Result<(), Flaw> {
    if got == want {
        return Ok(());
    }
    Err(format!(
        "{} bytes differ from the {} of the first encoding",
        got.len(),
        want.len()
    ))
}

fn same<T: PartialEq + fmt::Debug>(got: &T, want: &T) -> Result<(), Flaw> {
    if got == want {
        return Ok(());
    }
    let (got, want) = (format!("{got:?}"), format!("{want:?}"));
    let at = got
        .bytes()
        .zip(want.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let part = |text: &str| {
        text.chars()
            .skip(at.saturating_sub(40))
            .take(80)
            .collect::<String>()
    };
    Err(format!(
        "the value differs from the data: …{}… instead of …{}…",
        part(&got),
        part(&want)
    ))
}
