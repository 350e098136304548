//! The names of the last release, which go on for one more.
#![allow(deprecated, reason = "it holds them to their word")]

use core::any::TypeId;

#[cfg(feature = "shm")]
use mxp::net::channel;
use mxp::net::{self, blocking, transport, typed};
use mxp::{frame, session};

fn same<A: 'static, B: 'static>() {
    assert_eq!(TypeId::of::<A>(), TypeId::of::<B>());
}

#[test]
fn names_of_the_last_release_are_there() {
    same::<net::Asked, net::Request>();
    same::<net::Listening, net::ServerHandle>();
    same::<blocking::Asked, blocking::Request>();
    same::<blocking::Listening, blocking::ServerHandle>();
    same::<typed::Stream<(), ()>, typed::BidiStream<(), ()>>();
    same::<typed::Upload<(), ()>, typed::ClientStream<(), ()>>();
    same::<typed::blocking::Stream<(), ()>, typed::blocking::BidiStream<(), ()>>();
    same::<typed::blocking::Upload<(), ()>, typed::blocking::ClientStream<(), ()>>();
    same::<transport::Accepted, transport::IncomingConnection>();
    same::<transport::Connected, transport::EstablishedConnection>();
    #[cfg(feature = "shm")]
    same::<channel::Closed, channel::CloseReason>();
    same::<frame::Peeked, frame::FramePrefix>();
    same::<frame::Sealed, frame::Envelope>();
    same::<session::OnFull, session::FullPolicy>();
}
