use mxp::frame::{decode_prefix, DecodeOptions, Error, FrameReader, Header, Kind};

use crate::build::{frame_bytes, payload, refused, Numbers, Raw, CHECKED, UNCHECKED};

/// The content that was read of a stream: its frames, and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Read {
    pub(crate) frames: Vec<(Header, Vec<u8>)>,
    pub(crate) end: Result<(), Error>,
}

/// Gives the pieces to a reader, and then their end.
pub(crate) fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>, options: DecodeOptions) -> Read {
    let mut reader = FrameReader::new(options);
    let mut frames = Vec::new();
    let mut end = Ok(());
    'pieces: for mut piece in pieces {
        loop {
            match reader.read(&mut piece) {
                Ok(Some(frame)) => frames.push((frame.header, frame.payload.to_vec())),
                Ok(None) => break,
                Err(refusal) => {
                    end = Err(refusal);
                    break 'pieces;
                }
            }
        }
        assert_eq!(piece, b"");
    }
    if end.is_ok() {
        end = reader.finish();
    }
    assert_eq!(reader.finish(), end);
    for _ in 0..3 {
        if let Err(refusal) = end {
            let mut more = &b"more"[..];
            assert_eq!(reader.read(&mut more), Err(refusal));
            assert_eq!(more, b"more");
            assert_eq!(reader.finish(), Err(refusal));
        }
    }
    Read { frames, end }
}

/// The same, by decoding one frame behind the other.
pub(crate) fn decoded(stream: &[u8], options: DecodeOptions) -> Read {
    let mut frames = Vec::new();
    let mut rest = stream;
    while !rest.is_empty() {
        match decode_prefix(rest, &options) {
            Ok((frame, used)) => {
                frames.push((frame.header, frame.payload.to_vec()));
                rest = &rest[used..];
            }
            Err(refusal) => {
                // A reader looks at the magic before a header is there [MXP-4.2].
                let magic = &b"1PXM"[..rest.len().min(4)];
                let end = if rest.starts_with(magic) {
                    refusal
                } else {
                    decode_prefix(&[0; 32], &options).unwrap_err()
                };
                let end = Err(end);
                return Read { frames, end };
            }
        }
    }
    Read {
        frames,
        end: Ok(()),
    }
}

/// The pieces between cuts, which are in order.
pub(crate) fn pieces<'a>(stream: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut start = 0;
    let mut pieces = Vec::new();
    for cut in cuts.iter().copied().chain([stream.len()]) {
        pieces.push(&stream[start..cut]);
        start = cut;
    }
    pieces
}

/// Streams that end well, and in each other way.
fn streams() -> Vec<(Vec<u8>, DecodeOptions)> {
    let good = [frame_bytes(0), frame_bytes(70), frame_bytes(1)].concat();
    let mut damaged = good.clone();
    damaged[40 + 50] ^= 1;
    let mut reserved = good.clone();
    reserved[40 + 7] = 1;
    let mut alien = good.clone();
    alien.truncate(150);
    alien.extend([0xee; 60]);
    vec![
        (Vec::new(), CHECKED),
        (good.clone(), CHECKED),
        (good.clone(), UNCHECKED),
        (good.clone(), CHECKED.with_limit(69)),
        (good[..good.len() - 1].to_vec(), CHECKED),
        (good[..40 + 20].to_vec(), CHECKED),
        (damaged.clone(), CHECKED),
        (damaged, UNCHECKED),
        (reserved, CHECKED),
        (alien, CHECKED),
    ]
}

#[test]
fn every_cut_gives_the_same() {
    for (stream, options) in streams() {
        let want = decoded(&stream, options);
        assert_eq!(read([&stream[..]], options), want);
        for first in 0..=stream.len() {
            assert_eq!(read(pieces(&stream, &[first]), options), want);
            for second in (first..=stream.len()).step_by(7) {
                let pieces = pieces(&stream, &[first, second]);
                assert_eq!(read(pieces, options), want);
            }
        }
    }
}

#[test]
fn single_bytes_and_empty_pieces_give_the_same() {
    for (stream, options) in streams() {
        let want = decoded(&stream, options);
        assert_eq!(read(stream.chunks(1), options), want);
        let sparse = stream.chunks(3).flat_map(|piece| [piece, b""]);
        assert_eq!(read(sparse, options), want);
    }
}

#[test]
fn random_cuts_of_larger_frames_give_the_same() {
    let mut numbers = Numbers::new(2);
    for _ in 0..200 {
        let mut stream = Vec::new();
        for _ in 0..5 {
            let most = [1, 100, 3000, 200_000][numbers.below(4)];
            stream.extend(frame_bytes(numbers.below(most)));
        }
        let count = numbers.below(20);
        let mut cuts: Vec<_> = (0..count).map(|_| numbers.below(stream.len())).collect();
        cuts.sort_unstable();
        let got = read(pieces(&stream, &cuts), CHECKED);
        assert_eq!(got, decoded(&stream, CHECKED));
        assert_eq!(got.frames.len(), 5);
    }
}

#[test]
fn whole_frames_are_decoded_where_they_lie() {
    let stream = frame_bytes(100).repeat(3);
    let mut reader = FrameReader::new(CHECKED);
    let mut piece = &stream[..];
    for i in 0..3 {
        let frame = reader.read(&mut piece).unwrap().unwrap();
        let at = i * 140 + 32;
        assert_eq!(frame.payload.as_ptr(), stream[at..].as_ptr());
    }
    assert_eq!(reader.read(&mut piece), Ok(None));
    assert_eq!(reader.buffer_bytes(), 0);
}

#[test]
fn frames_may_be_kept_while_the_piece_is_gone_on_with() {
    let stream = [frame_bytes(10), frame_bytes(20)].concat();
    let mut reader = FrameReader::new(CHECKED);
    let (mut first, mut second) = stream.split_at(25);
    assert_eq!(reader.read(&mut first), Ok(None));
    let frame = reader.read(&mut second).unwrap().unwrap();
    assert_eq!(second.len(), 60);
    assert_eq!(frame.payload, payload(10));
    let frame = reader.read(&mut second).unwrap().unwrap();
    assert_eq!(frame.payload, payload(20));
    assert_eq!(reader.finish(), Ok(()));
}

#[test]
fn a_header_is_refused_when_its_last_byte_is_there() {
    let mut raw = Raw::new(b"");
    raw.length = u64::MAX;
    let bytes = raw.bytes();
    for cut in 0..32 {
        let mut reader = FrameReader::new(CHECKED);
        let (mut first, rest) = bytes.split_at(cut);
        assert_eq!(reader.read(&mut first), Ok(None));
        assert_eq!(reader.read(&mut &rest[..31 - cut]), Ok(None));
        let mut last = &rest[31 - cut..][..1];
        assert_eq!(reader.read(&mut last), refused(Kind::TooLarge, 24));
        assert_eq!(reader.buffer_bytes(), 0);
    }
}

#[test]
fn an_end_inside_a_frame_names_what_is_there() {
    let stream = [frame_bytes(5), frame_bytes(50)].concat();
    for cut in 1..90 {
        let mut reader = FrameReader::new(CHECKED);
        let mut piece = &stream[..45 + cut];
        assert!(reader.read(&mut piece).unwrap().is_some());
        assert_eq!(reader.finish(), Ok(()));
        assert_eq!(reader.read(&mut piece), Ok(None));
        let want = Error::at(Kind::Truncated, cut);
        assert_eq!(reader.finish(), Err(want));
        let mut rest = &stream[45 + cut..];
        assert_eq!(reader.read(&mut rest), Err(want));
    }
}
