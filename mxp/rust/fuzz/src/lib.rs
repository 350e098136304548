//! The fuzz targets: any bytes, which panic where two ways to the same disagree.

#[path = "../../tests/session/exercise.rs"]
pub mod session;

use mxp::frame::{
    decode, decode_prefix, peek, Checksum, DecodeOptions, Error, Frame, FrameReader, Kind,
    HEADER_BYTES, TRAILER_BYTES,
};

/// Bytes that a reader's buffer may have beyond the received part of a frame.
const SPARE_BYTES: usize = 64 << 10;

/// Reads a stream of frames in one piece, in many, and frame by frame. The first
/// byte says how, the second where it is cut.
pub fn frames(data: &[u8]) {
    let &[how, cuts, ref stream @ ..] = data else {
        return;
    };
    let checksum = if how & 1 == 0 {
        Checksum::On
    } else {
        Checksum::Off
    };
    let mut options = DecodeOptions::new(checksum);
    if how & 2 > 0 {
        options = options.with_limit(100);
    }
    let mut stream = stream.to_vec();
    if how & 4 > 0 {
        // No fuzzer finds a hash.
        seal(&mut stream);
    }
    let want = decoded(&stream, &options);
    assert_eq!(read(&stream, &[stream.len()], &options), want);
    assert_eq!(read(&stream, &[1], &options), want);
    assert_eq!(read(&stream, &lengths(cuts), &options), want);
}

/// Makes the checksum of each frame that is whole a good one.
fn seal(stream: &mut [u8]) {
    let options = DecodeOptions::new(Checksum::Off);
    let mut at = 0;
    while let Ok((frame, used)) = decode_prefix(&stream[at..], &options) {
        let sealed = frame.header.seal(frame.payload, Checksum::On);
        let trailer = sealed.expect("it was decoded").trailer;
        at += used;
        stream[at - TRAILER_BYTES..at].copy_from_slice(&trailer);
    }
}

/// Where frames end, and how their stream does.
type Read = (Vec<usize>, Result<(), Error>);

/// Decodes one frame behind the other.
fn decoded(stream: &[u8], options: &DecodeOptions) -> Read {
    let (mut at, mut ends) = (0, Vec::new());
    while at < stream.len() {
        let rest = &stream[at..];
        match decode_prefix(rest, options) {
            Ok((frame, used)) => {
                check(&frame, &rest[..used], options);
                at += used;
                ends.push(at);
            }
            Err(refusal) => {
                refuse(refusal, rest, options);
                return (ends, Err(read_before(rest, options).unwrap_or(refusal)));
            }
        }
    }
    (ends, Ok(()))
}

/// The refusal that a reader gives before a header is there: it looks at each byte of the magic
/// [MXP-4.2].
fn read_before(rest: &[u8], options: &DecodeOptions) -> Option<Error> {
    let begins = rest.starts_with(&b"1PXM"[..rest.len().min(4)]);
    (!begins).then(|| peek(&[0; HEADER_BYTES], options).expect_err("it has no magic"))
}

/// Checks a frame that was accepted.
fn check(frame: &Frame<'_>, bytes: &[u8], options: &DecodeOptions) {
    assert_eq!(decode(bytes, options), Ok(*frame));
    let peeked = peek(&bytes[..HEADER_BYTES], options).expect("its header is fine");
    assert_eq!(peeked.header, frame.header);
    assert_eq!(peeked.frame_bytes(), bytes.len());
    let written = frame
        .encode_to_vec(options.checksum())
        .expect("it was decoded");
    let (start, trailer) = bytes.split_at(bytes.len() - TRAILER_BYTES);
    assert_eq!(&written[..start.len()], start);
    if options.checksum() == Checksum::On {
        assert_eq!(&written[start.len()..], trailer);
    }
    let (a, b) = frame.payload.split_at(frame.payload.len() / 3);
    let sealed = frame.header.seal_pieces(&[a, b], options.checksum());
    let sealed = sealed.expect("it was decoded");
    assert_eq!(
        [&sealed.header[..], a, b, &sealed.trailer].concat(),
        written
    );
    // One byte less or more is refused for that.
    let cut = decode(&bytes[..bytes.len() - 1], options);
    assert_eq!(cut, Err(Error::at(Kind::Truncated, bytes.len() - 1)));
    let more = decode(&[bytes, b"1"].concat(), options).err();
    assert_eq!(more, Some(Error::at(Kind::Trailing, bytes.len())));
}

/// Checks a refusal.
fn refuse(refusal: Error, rest: &[u8], options: &DecodeOptions) {
    assert_eq!(decode(rest, options), Err(refusal));
    let offset = refusal.offset.expect("a decoder names a place");
    match refusal.kind {
        Kind::Truncated => assert_eq!(offset, rest.len()),
        Kind::Checksum => assert!(offset + TRAILER_BYTES <= rest.len()),
        _ => assert_eq!(peek(rest, options), Err(refusal)),
    }
}

/// Reads a stream in pieces of these lengths, again and again.
fn read(stream: &[u8], lengths: &[usize], options: &DecodeOptions) -> Read {
    let mut reader = FrameReader::new(*options);
    let (mut start, mut ends) = (0, Vec::new());
    for length in lengths.iter().cycle() {
        let end = stream.len().min(start + length);
        let mut piece = &stream[start..end];
        loop {
            match reader.read(&mut piece) {
                Ok(Some(_)) => ends.push(end - piece.len()),
                Ok(None) => break,
                Err(refusal) => {
                    assert_eq!(reader.read(&mut piece), Err(refusal));
                    assert_eq!(reader.finish(), Err(refusal));
                    return (ends, Err(refusal));
                }
            }
        }
        let received = end - ends.last().unwrap_or(&0);
        assert!(reader.buffer_bytes() <= received + received / 8 + SPARE_BYTES);
        start = end;
        if end == stream.len() {
            break;
        }
    }
    (ends, reader.finish())
}

/// Eight lengths of pieces that a byte stands for; not all are 0.
fn lengths(seed: u8) -> [usize; 8] {
    let mut state = u32::from(seed);
    let mut lengths = [0; 8];
    for length in &mut lengths {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        *length = match state >> 30 {
            0 => 0,
            1 => 1 + (state >> 24) as usize % 7,
            2 => (state >> 16) as usize % 50,
            _ => (state >> 8) as usize % 500,
        };
    }
    lengths[7] += 1;
    lengths
}
