//! Answers that another implementation gave.

use mxp::frame::{decode, Checksum, Frame, Header};

use crate::build::{payload, CHECKED};

/// Type, flags, ids, the payload's length, and the hash by python-xxhash 4.1.0,
/// which has xxHash 0.8.4.
const KNOWN: [(u8, u8, u64, u64, usize, u64); 9] = [
    (0x84, 0, 1, 2, 0, 0x65a9_b617_4dfe_ef92),
    (0x10, 8, 7, 9, 5, 0xb71f_81d9_db71_59fb),
    (
        0x12,
        0,
        0x0102_0304_0506_0708,
        0x1112_1314_1516_1718,
        64,
        0x32a2_316d_cfcd_3b5a,
    ),
    (0x21, 15, u64::MAX, 1 << 63, 208, 0x84be_4663_2ac7_7d85),
    (0x21, 1, 3, 4, 209, 0x53f1_b909_3169_c100),
    (0x11, 2, 5, 6, 1000, 0xd764_f74b_5a82_0dcc),
    (0xf1, 4, 0, 0, 1025, 0x3c48_dcaf_3f35_5bb1),
    (0x22, 8, 0xdead_beef, 1, 5000, 0xbd45_e156_65b8_b363),
    (0x20, 0, 1, 1, 16384, 0x3e52_0afa_d622_68ff),
];

#[test]
fn hashes_are_those_of_another_implementation() {
    for (frame_type, flags, message_id, trace_id, n, hash) in KNOWN {
        let header = Header {
            frame_type: frame_type.try_into().unwrap(),
            flags: flags.try_into().unwrap(),
            message_id,
            trace_id,
        };
        let payload = payload(n);
        let frame = Frame {
            header,
            payload: &payload,
        };
        let bytes = frame.encode_to_vec(Checksum::On).unwrap();
        assert_eq!(bytes[32 + n..], hash.to_le_bytes(), "{n}");
        let sealed = header.seal(&payload, Checksum::On).unwrap();
        assert_eq!(sealed.trailer, hash.to_le_bytes(), "{n}");
        assert_eq!(decode(&bytes, &CHECKED), Ok(frame));
    }
}

#[test]
fn a_frame_has_these_bytes() {
    let header = Header {
        frame_type: 0x10.try_into().unwrap(),
        flags: 8.try_into().unwrap(),
        message_id: 7,
        trace_id: 9,
    };
    let frame = Frame {
        header,
        payload: &[5, 12, 19, 26, 33],
    };
    let want = [
        0x31, 0x50, 0x58, 0x4d, 0x10, 0x08, 0, 0, // magic, type, flags, reserved
        7, 0, 0, 0, 0, 0, 0, 0, // message id
        9, 0, 0, 0, 0, 0, 0, 0, // trace id
        5, 0, 0, 0, 0, 0, 0, 0, // length
        5, 12, 19, 26, 33, // payload
        0xfb, 0x59, 0x71, 0xdb, 0xd9, 0x81, 0x1f, 0xb7, // hash
    ];
    assert_eq!(frame.encode_to_vec(Checksum::On).unwrap(), want);
    let unchecked = [&want[..37], &[0; 8]].concat();
    assert_eq!(frame.encode_to_vec(Checksum::Off).unwrap(), unchecked);
}
