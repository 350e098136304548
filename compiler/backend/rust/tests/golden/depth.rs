//! Nesting is limited, and costs little stack.

use std::thread;

use golden::shapes::{Node, Tree};
use sdp::{explain, DecodeOptions, Error, Kind, Limits, Mode};

use crate::agree::{agree, keeps_bound};
use crate::sample::chain;
use crate::values::Value;

/// Levels of a recursive type on the wire.
struct Nested {
    /// The bytes that open one more level.
    open: &'static [u8],
    /// The innermost one.
    last: &'static [u8],
    /// The bytes behind each level but the innermost.
    close: &'static [u8],
    step: &'static str,
}

const LEFT: Nested = Nested {
    open: &[7, 0, 0, 0, 1],
    last: &[7, 0, 0, 0, 0, 0],
    close: &[0],
    step: "left",
};

const RIGHT: Nested = Nested {
    open: &[7, 0, 0, 0, 0, 1],
    last: &[7, 0, 0, 0, 0, 0],
    close: &[],
    step: "right",
};

const KIDS: Nested = Nested {
    open: &[1, 0, 0, 0],
    last: &[0, 0, 0, 0],
    close: &[],
    step: "kids[0]",
};

impl Nested {
    fn bytes(&self, levels: usize) -> Vec<u8> {
        let outer = levels - 1;
        [
            &self.open.repeat(outer),
            self.last,
            &self.close.repeat(outer),
        ]
        .concat()
    }
}

fn depth_is_refused<T: Value>(nested: &Nested) {
    let options = DecodeOptions::new();
    assert_eq!(agree::<T>(&nested.bytes(64), &options).err(), None);
    let path = [nested.step; 64].join(".");
    let refusal = Error::at(Kind::LimitDepth, 64 * nested.open.len(), path);
    for levels in [65, 66, 1_000_000] {
        for bytes in [nested.bytes(levels), nested.open.repeat(levels)] {
            assert_eq!(agree::<T>(&bytes, &options).as_ref().err(), Some(&refusal));
            keeps_bound::<T>(&bytes);
        }
    }
}

#[test]
fn depth_is_refused_at_the_first_level_over_the_limit() {
    depth_is_refused::<Node>(&LEFT);
    depth_is_refused::<Node>(&RIGHT);
    depth_is_refused::<Tree>(&KIDS);
}

#[test]
fn the_limit_of_depth_can_be_chosen() {
    let bytes = KIDS.bytes(3);
    for (depth, accepted) in [(0, false), (1, false), (2, false), (3, true), (4, true)] {
        let options = DecodeOptions::new().with_limits(Limits::new().with_depth(depth));
        assert_eq!(agree::<Tree>(&bytes, &options).is_ok(), accepted, "{depth}");
    }
}

#[test]
fn a_tree_of_as_many_levels_as_allowed_is_encoded() {
    let tree = chain(64);
    let bytes = tree.encode_to_vec().unwrap();
    assert_eq!(Node::decode(&bytes).unwrap(), tree);
    let path = ["left"; 64].join(".");
    let refusal = Error::new(Kind::LimitDepth).in_field(&path);
    assert_eq!(chain(65).encode_to_vec(), Err(refusal));
}

/// A decoder at the limit of depth crashes here if it needs more stack than that
/// [WIRE-8.8].
#[test]
fn decoders_need_little_stack() {
    fn decode<T: Value>(nested: &Nested) {
        for levels in [64, 65] {
            let bytes = nested.bytes(levels);
            let decoded = T::decode_with(&bytes, &DecodeOptions::new());
            assert_eq!(decoded.is_ok(), levels == 64);
            let borrowed = T::borrow_with(&bytes, &DecodeOptions::new());
            assert_eq!(borrowed.is_ok(), levels == 64);
            let mut reused = T::default();
            for _ in 0..2 {
                let result = reused.decode_into_with(&bytes, &DecodeOptions::new());
                assert_eq!(result.is_ok(), levels == 64);
            }
            let limits = Limits::new();
            let named = explain(&T::layout(), &bytes, 0, Mode::Whole, false, &limits, None);
            assert_eq!(named.is_none(), levels == 64);
            if let Ok(value) = decoded {
                assert_eq!(value.encode_to_vec().as_ref(), Ok(&bytes));
                assert_eq!(value.clone(), value);
            }
        }
    }
    let all = || {
        decode::<Node>(&LEFT);
        decode::<Node>(&RIGHT);
        decode::<Tree>(&KIDS);
    };
    let small = thread::Builder::new().stack_size(256 << 10);
    small.spawn(all).unwrap().join().unwrap();
}
