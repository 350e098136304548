//! The offers of every generated value, which have to agree.

use std::fmt::Debug;

use sdp::{Error, Kind};

/// The functions of generated structs, messages and unions, in both forms.
pub trait Value {
    fn to_json(&self) -> Result<String, Error>;
    fn encoded_size(&self) -> usize;
    fn encode_to_vec(&self) -> Result<Vec<u8>, Error>;
    fn encode_to_slice(&self, out: &mut [u8]) -> Result<usize, Error>;
    fn append(&self, out: &mut Vec<u8>) -> Result<(), Error>;
    fn validate(&self) -> Result<(), Error>;
}

/// The functions of types with a type id.
pub trait FramedValue: Value {
    fn message_to_vec(&self) -> Result<Vec<u8>, Error>;
    fn message_to_slice(&self, out: &mut [u8]) -> Result<usize, Error>;
    fn append_message(&self, out: &mut Vec<u8>) -> Result<(), Error>;
}

/// Why a request has no other answer.
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The bytes or the text were refused.
    Refused(Error),
    /// The request makes no sense, or two ways to the same disagree.
    Other(String),
}

/// The answer to a request.
pub type Answer<T> = Result<T, Failure>;

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// Fails unless two ways to the same lead there.
pub fn agree<T: PartialEq + Debug>(what: &str, want: &T, got: &T) -> Answer<()> {
    if want == got {
        return Ok(());
    }
    let text = format!("{what}: {got:?} instead of {want:?}");
    Err(Failure::Other(text))
}

/// A value as it is outside of Rust.
#[derive(Debug, PartialEq)]
pub struct Shown {
    pub json: Result<String, Error>,
    pub bytes: Result<Vec<u8>, Error>,
}

/// Writes a value in every way.
pub fn shown(value: &dyn Value) -> Answer<Shown> {
    let bytes = value.encode_to_vec();
    if let Ok(bytes) = &bytes {
        agree("encoded_size", &bytes.len(), &value.encoded_size())?;
    }
    agree("validate", &bytes.clone().map(|_| ()), &value.validate())?;
    agree_on(
        &bytes,
        |out| value.append(out),
        |out| value.encode_to_slice(out),
    )?;
    let json = value.to_json();
    Ok(Shown { json, bytes })
}

/// Writes a value in every way in message mode.
pub fn shown_framed(value: &dyn FramedValue) -> Answer<Shown> {
    let bytes = value.message_to_vec();
    agree_on(
        &bytes,
        |out| value.append_message(out),
        |out| value.message_to_slice(out),
    )?;
    let json = value.to_json();
    Ok(Shown { json, bytes })
}

/// Holds appending, and writing to slices, against the encoding.
fn agree_on(
    bytes: &Result<Vec<u8>, Error>,
    append: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    to_slice: impl Fn(&mut [u8]) -> Result<usize, Error>,
) -> Answer<()> {
    const BEFORE: &[u8] = b"before";
    let size = bytes.as_ref().map_or(1 << 10, Vec::len);
    let mut out = BEFORE.to_vec();
    let appended = append(&mut out).map(|()| out.split_off(BEFORE.len()));
    agree("append", bytes, &appended)?;
    agree("append leaves", &BEFORE, &&out[..])?;

    let mut slice = vec![0xaa; size];
    let written = to_slice(&mut slice).map(|n| slice[..n].to_vec());
    agree("to_slice", bytes, &written)?;
    if let Some(less) = size.checked_sub(1).filter(|_| bytes.is_ok()) {
        let refused = to_slice(&mut vec![0; less]);
        agree(
            "short slice",
            &Err(Error::new(Kind::BufferTooSmall)),
            &refused,
        )?;
    }
    Ok(())
}
