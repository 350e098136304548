//! Frames and bytes that nobody thought of.

use mxp::frame::{decode, decode_prefix, Checksum, Flags, Frame, Header, Type};
use proptest::prelude::*;

use crate::build::{Raw, CHECKED, UNCHECKED};
use crate::reader::{decoded, pieces, read};

fn headers() -> impl Strategy<Value = Header> {
    let types = prop::sample::select(&Type::ALL[..]);
    let ids = (any::<u64>(), any::<u64>());
    (types, 0..16_u8, ids).prop_map(|(frame_type, flags, (message_id, trace_id))| Header {
        frame_type,
        flags: Flags::from_bits(flags).unwrap(),
        message_id,
        trace_id,
    })
}

fn payloads() -> impl Strategy<Value = Vec<u8>> {
    let short = prop::collection::vec(any::<u8>(), 0..300);
    let long = prop::collection::vec(any::<u8>(), 300..3000);
    prop_oneof![4 => short, 1 => long]
}

/// Frames with one or two fields that are any, and a checksum that is right.
fn lies() -> impl Strategy<Value = Vec<u8>> {
    let fields = (any::<u8>(), any::<u8>(), any::<[u8; 2]>(), 0..400_u64);
    (payloads(), fields, 0..16_u8).prop_map(|(payload, fields, parts)| {
        let mut raw = Raw::new(&payload);
        if parts & 1 > 0 {
            raw.frame_type = fields.0;
        }
        if parts & 2 > 0 {
            raw.flags = fields.1;
        }
        if parts & 4 > 0 {
            raw.reserved = fields.2;
        }
        if parts & 8 > 0 {
            raw.length = fields.3;
        }
        raw.bytes()
    })
}

fn frames() -> impl Strategy<Value = Vec<u8>> {
    (headers(), payloads()).prop_map(|(header, payload)| {
        let frame = Frame {
            header,
            payload: &payload,
        };
        frame.encode_to_vec(Checksum::On).unwrap()
    })
}

/// Good frames, and then perhaps anything.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let end = prop_oneof![
        2 => Just(Vec::new()),
        1 => prop::collection::vec(any::<u8>(), 0..100),
        2 => lies(),
        2 => (frames(), any::<prop::sample::Index>()).prop_map(|(mut frame, place)| {
            let place = place.index(frame.len() * 8);
            frame[place / 8] ^= 1 << (place % 8);
            frame
        }),
    ];
    (prop::collection::vec(frames(), 0..5), end)
        .prop_map(|(frames, end)| [frames.concat(), end].concat())
}

/// Checks that what is accepted is encoded to the same bytes.
fn comes_back(bytes: &[u8]) {
    if let Ok((frame, used)) = decode_prefix(bytes, &CHECKED) {
        assert_eq!(frame.encode_to_vec(Checksum::On).unwrap(), bytes[..used]);
        let whole = decode(&bytes[..used], &UNCHECKED);
        assert_eq!(whole, Ok(frame));
    }
}

proptest! {
    #[test]
    fn frames_come_back(header in headers(), payload in payloads(), cut: prop::sample::Index) {
        let frame = Frame { header, payload: &payload };
        for (checksum, options) in [(Checksum::On, CHECKED), (Checksum::Off, UNCHECKED)] {
            let bytes = frame.encode_to_vec(checksum).unwrap();
            prop_assert_eq!(decode(&bytes, &options), Ok(frame));
            let (a, b) = payload.split_at(cut.index(payload.len() + 1));
            let sealed = header.seal_pieces(&[a, b], checksum).unwrap();
            let parts = [&sealed.header[..], a, b, &sealed.trailer];
            prop_assert_eq!(parts.concat(), bytes);
        }
    }

    #[test]
    fn what_is_accepted_comes_back(bytes in prop_oneof![lies(), frames(), streams()]) {
        comes_back(&bytes);
    }

    #[test]
    fn readers_and_decoders_agree(
        stream in streams(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        limit in prop_oneof![4 => Just(1 << 20), 1 => 0..3000_usize],
        checked: bool,
    ) {
        let options = if checked { CHECKED } else { UNCHECKED }.with_limit(limit);
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        prop_assert_eq!(read(pieces(&stream, &cuts), options), decoded(&stream, options));
    }
}
