//! Frames put together by hand, also such as an encoder refuses to make.

use mxp::frame::{Checksum, DecodeOptions, Error, Flags, Frame, Header, Kind, Type};

pub(crate) const CHECKED: DecodeOptions = DecodeOptions::new(Checksum::On);
pub(crate) const UNCHECKED: DecodeOptions = DecodeOptions::new(Checksum::Off);

/// The fields of a frame as numbers, valid or not.
#[derive(Clone)]
pub(crate) struct Raw {
    pub(crate) magic: u32,
    pub(crate) frame_type: u8,
    pub(crate) flags: u8,
    pub(crate) reserved: [u8; 2],
    pub(crate) message_id: u64,
    pub(crate) trace_id: u64,
    pub(crate) length: u64,
    pub(crate) payload: Vec<u8>,
}

impl Raw {
    /// A frame that is fine.
    pub(crate) fn new(payload: &[u8]) -> Self {
        Self {
            magic: 0x4d58_5031,
            frame_type: 0x10,
            flags: 0,
            reserved: [0; 2],
            message_id: 0x0102_0304_0506_0708,
            trace_id: 0x1112_1314_1516_1718,
            length: payload.len() as u64,
            payload: payload.to_vec(),
        }
    }

    /// The bytes, whose checksum is that of header and payload.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = [
            &self.magic.to_le_bytes()[..],
            &[self.frame_type, self.flags],
            &self.reserved,
            &self.message_id.to_le_bytes(),
            &self.trace_id.to_le_bytes(),
            &self.length.to_le_bytes(),
            &self.payload,
        ]
        .concat();
        let hash = xxhash_rust::xxh3::xxh3_64(&bytes);
        bytes.extend(hash.to_le_bytes());
        bytes
    }

    /// The frame that it is, if its type and flags are any.
    pub(crate) fn frame(&self) -> Frame<'_> {
        let header = Header {
            frame_type: Type::from_number(self.frame_type).unwrap(),
            flags: Flags::from_bits(self.flags).unwrap(),
            message_id: self.message_id,
            trace_id: self.trace_id,
        };
        Frame {
            header,
            payload: &self.payload,
        }
    }
}

/// `n` bytes that are not all the same.
pub(crate) fn payload(n: usize) -> Vec<u8> {
    (0..n).map(|i| (i * 7 + n).to_le_bytes()[0]).collect()
}

/// A frame of `n` such bytes.
pub(crate) fn frame_bytes(n: usize) -> Vec<u8> {
    Raw::new(&payload(n)).bytes()
}

pub(crate) fn refused<T>(kind: Kind, offset: usize) -> Result<T, Error> {
    Err(Error::at(kind, offset))
}

/// Lengths around those where the hash, and how it is fed, change.
pub(crate) const LENGTHS: [usize; 36] = [
    0, 1, 7, 31, 32, 33, 63, 64, 95, 96, 97, 98, 127, 128, 207, 208, 209, 210, 223, 224, 225, 255,
    256, 257, 511, 512, 513, 991, 992, 993, 1024, 1025, 2048, 2049, 4096, 70_000,
];

/// Numbers that look random and are always the same.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let n = u64::try_from(n).unwrap();
        usize::try_from((z ^ (z >> 31)) % n).unwrap()
    }
}
