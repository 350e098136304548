use std::path::Path;

use super::{Builder, Case, Subject};
use crate::dataset::{Data, Sum};

/// A value that is its own encoding.
#[derive(Clone, Debug, PartialEq)]
struct Letters(Vec<u8>);

impl Data for Letters {
    const NAME: &'static str = "letters";

    fn load(_: &Path) -> Self {
        Self((0..64).collect())
    }

    fn sum(&self) -> u64 {
        sum(&self.0)
    }
}

fn sum(bytes: &[u8]) -> u64 {
    let mut sum = Sum::default();
    for byte in bytes {
        sum.uint(*byte);
    }
    sum.0
}

fn without_last(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len() - 1]
}

fn start() -> Builder<Letters> {
    let data: &'static Letters = Box::leak(Box::new(Letters::load(Path::new(""))));
    Builder::new("own", "sdpbench", data, &data.0)
}

fn verify(builder: Builder<Letters>) -> Result<(), String> {
    let mut subject: Subject = builder.done();
    assert_eq!(subject.cases.len(), 1);
    let (_, operation) = &mut subject.cases[0];
    operation.run(2);
    operation.verify()
}

/// One case of a codec that does right, or that loses the last byte.
fn loses(case: Case, loses: bool) -> Result<(), String> {
    let part = move |bytes: &'static [u8]| if loses { without_last(bytes) } else { bytes };
    let builder = start();
    let bytes = builder.bytes;
    let to_value = move |bytes| Letters(part(bytes).to_vec());
    verify(match case {
        Case::EncodeFresh => builder.encode_fresh(move |data| part(&data.0).to_vec()),
        Case::EncodeReused => {
            builder.encode_reused(move |data, buffer| buffer.extend(part(&data.0)))
        }
        Case::DecodeFresh => builder.decode_fresh(to_value),
        Case::DecodeBorrowed => {
            builder.decode_as(case, bytes, part, |bytes| Letters(bytes.to_vec()))
        }
        Case::DecodeReused => builder.decode_reused(
            Letters(Vec::new()),
            move |value, bytes| part(bytes).clone_into(&mut value.0),
            |value| value,
        ),
        Case::Read => builder.read(case, move |bytes| sum(part(bytes))),
        Case::Clone => builder.without_bytes(case, move |data| Letters(part(&data.0).to_vec())),
        other => panic!("no codec of {}", other.name()),
    })
}

#[test]
fn verification_sees_a_lost_byte() {
    for case in [
        Case::EncodeFresh,
        Case::EncodeReused,
        Case::DecodeFresh,
        Case::DecodeBorrowed,
        Case::DecodeReused,
        Case::Read,
        Case::Clone,
    ] {
        assert_eq!(loses(case, false), Ok(()), "{}", case.name());
        assert!(loses(case, true).is_err(), "{}", case.name());
    }
}

#[test]
fn verification_sees_a_validator_that_refuses() {
    assert_eq!(verify(start().access(|bytes| bytes.len() == 64)), Ok(()));
    assert!(verify(start().access(|_| false)).is_err());
}

#[test]
#[should_panic(expected = "half of the bytes are valid")]
fn validator_that_accepts_everything_is_seen() {
    drop(start().access(|_| true));
}
