//! Streams of messages.

use sdp::{DecodeOptions, Dispatch, Kind, MessageReader, StreamError};

use crate::table::{Each, Messages, Named};
use crate::value::{Answer, Failure};
use crate::{accepted, rejected};

/// Reads until the clean end, or until a refusal comes for the second time.
pub fn answer(messages: &Messages, data: &[u8], options: DecodeOptions) -> String {
    let mut answers = Vec::new();
    let mut failed = false;
    (messages.stream)(data, options, &mut |read| {
        let ends = match &read {
            Ok(Some(_)) => false,
            Ok(None) => true,
            Err(Failure::Refused(error)) if error.kind == Kind::TypeIdUnknown => false,
            Err(_) => std::mem::replace(&mut failed, true),
        };
        answers.push(match read {
            Ok(Some((name, shown))) => accepted(&shown) + "\ttype=" + name,
            Ok(None) => "end".into(),
            Err(failure) => rejected(&failure),
        });
        !ends
    });
    format!("stream\treads={}\n{}", answers.len(), answers.join("\n"))
}

/// Gives each read to `each`, until that wants no more.
pub fn read<M: Dispatch>(
    mut reader: MessageReader<&[u8], M>,
    show: fn(&M) -> Answer<Named>,
    each: Each,
) {
    loop {
        let read = match reader.read() {
            Ok(Some(message)) => show(&message).map(Some),
            Ok(None) => Ok(None),
            Err(StreamError::Refused(error)) => Err(error.into()),
            Err(error) => Err(Failure::Other(error.to_string())),
        };
        if !each(read) {
            return;
        }
    }
}
