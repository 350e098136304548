//! Agents: the requests to a directory, and its answers [MXP-12].

use mxp::frame::Type;
use mxp::session::{
    agents_value, lease_value, read_agents, read_lease, Agent, Config, Directory, Kind, Lease,
    Listing, Query, Registration,
};

use crate::pair::{told, Pair};

const SECOND: u64 = 1_000_000;

/// All that can be said of an agent.
fn printer() -> Registration {
    Registration::new("printer")
        .with_capabilities(["print", "scan"])
        .with_lease(5 * SECOND)
        .with_addresses(["mxp+shm:///p.sock", "mxp+tcp://a:1"])
        .with_services(["demo.Printer", "demo.Scanner"])
        .with_epoch(7)
}

#[test]
fn agents_are_asked_and_answered() {
    let config = Config::new().with_agents();
    let mut pair = Pair::with(Config::new(), config);
    pair.opener.register("printer", &["print"], 5, 0).unwrap();
    let nothing = "addresses [] services [] epoch 0";
    let asked = format!("register 1 printer [\"print\"] 5 {nothing}");
    assert_eq!(pair.there(), [asked]);
    pair.acceptor.respond(1, &[], lease_value(77), 0).unwrap();
    pair.opener.discover("print", 0).unwrap();
    assert_eq!(pair.there(), ["discover 3 print name service version 0"]);
    let agent = Agent {
        name: "printer".into(),
        capabilities: vec!["print".into()],
        lease: 70,
        ..Agent::default()
    };
    let answer = agents_value(std::slice::from_ref(&agent)).unwrap();
    assert_eq!(read_agents(&answer), Some(vec![agent]));
    assert_eq!(read_lease(&lease_value(77)), Some(77));
    pair.acceptor.respond(3, &[], answer, 0).unwrap();
    assert_eq!(pair.back().len(), 2);
    // The other side was not told to take any.
    pair.acceptor.heartbeat("printer", 0).unwrap();
    pair.back();
    assert_eq!(pair.there(), ["ended 2 agents_off false"]);
    assert_eq!(pair.opener.stats().refusals(Kind::AgentsOff), 1);
    assert_eq!(pair.opener.stats().frames_out(Type::AgentRegister), 1);
}

#[test]
fn all_that_is_said_of_an_agent_comes() {
    let mut pair = Pair::with(Config::new(), Config::new().with_agents());
    pair.opener.register_agent(&printer(), 0).unwrap();
    assert_eq!(
        pair.there(),
        ["register 1 printer [\"print\", \"scan\"] 5000000 \
             addresses [\"mxp+shm:///p.sock\", \"mxp+tcp://a:1\"] \
             services [\"demo.Printer\", \"demo.Scanner\"] epoch 7"]
    );
    let query = Query::new()
        .with_name("printer")
        .with_service("demo.Printer");
    pair.opener
        .query_agents(&query.with_capability("print").with_version(u64::MAX), 0)
        .unwrap();
    assert_eq!(
        pair.there(),
        ["discover 3 print nameprinter servicedemo.Printer version 18446744073709551615"]
    );
    let lease = Lease::new(9, 8);
    assert_eq!(Lease::read(&lease.to_value()), Some(lease));
    let mut directory = Directory::new();
    directory.enter(1, printer(), 0).unwrap();
    let listing = directory.find(&Query::new(), 0);
    let listing = listing.with_version(3).with_age(4);
    let read = Listing::read(&listing.to_value().unwrap());
    assert_eq!(read, Some(listing));
}

/// The frame that a peer of 0.3 sends, which ends with the first segment.
fn old(frame_type: Type, id: u64, payload: &[u8]) -> Vec<u8> {
    use mxp::frame::{Checksum, Flags, Frame, Header};
    let header = Header {
        message_id: id,
        flags: Flags::NONE,
        ..Header::new(frame_type)
    };
    let frame = Frame { header, payload };
    frame.encode_to_vec(Checksum::On).unwrap()
}

#[test]
fn what_peers_of_the_first_release_say_is_taken() {
    let mut pair = Pair::with(Config::new(), Config::new().with_agents());
    let register = old(Type::AgentRegister, 1, b"\x01a\0\x05\0\0\0\0\0\0\0");
    assert_eq!(
        told(&mut pair.acceptor, &register, 0),
        ["register 1 a [] 5 addresses [] services [] epoch 0"]
    );
    let discover = old(Type::AgentDiscover, 3, b"\x01b");
    assert_eq!(
        told(&mut pair.acceptor, &discover, 0),
        ["discover 3 b name service version 0"]
    );
    let lease = b"\x05\0\0\0\0\0\0\0";
    assert_eq!(Lease::read(lease), Some(Lease::new(5, 0)));
    let agents = b"\x01\0\0\0\x0b\0\0\0\x01a\0\x05\0\0\0\0\0\0\0";
    let agent = Agent {
        name: "a".into(),
        lease: 5,
        ..Agent::default()
    };
    assert_eq!(Listing::read(agents), Some(Listing::new([agent])));
}

/// [MXP-12.3].
#[test]
fn each_registration_has_the_next_epoch_and_a_heartbeat_keeps_it() {
    let mut directory = Directory::new();
    let mut enter = |owner, name: &str, epoch| {
        let registration = Registration::new(name).with_lease(SECOND);
        let entered = directory.enter(owner, registration.with_epoch(epoch), 0);
        entered.map(|lease| lease.epoch)
    };
    assert_eq!(enter(1, "a", 0), Ok(1));
    assert_eq!(enter(2, "b", 40), Ok(2));
    // The epoch that another owner says means nothing.
    assert_eq!(enter(2, "a", 1), Err(Kind::AgentTaken));
    assert_eq!(enter(1, "a", 1), Ok(3));
    let renewed = directory.renew(2, "b", SECOND / 2);
    assert_eq!(renewed, Ok(Lease::new(SECOND, 2)));
    assert_eq!(directory.renew(1, "b", 0), Err(Kind::AgentUnknown));
    directory.release(1);
    assert_eq!(directory.register(2, "a", [], SECOND, 0), Ok(SECOND));
    assert_eq!(directory.find(&Query::new(), 0).agents[0].epoch, 4);
}

/// [MXP-12.3].
#[test]
fn addresses_and_services_are_neither_empty_nor_twice_nor_too_many() {
    let mut directory = Directory::new();
    let named = |n: usize| (0..n).map(|n| n.to_string());
    let one = || Registration::new("a");
    let refused = [
        one().with_addresses([""]),
        one().with_addresses(["x", "x"]),
        one().with_addresses(named(17)),
        one().with_services([""]),
        one().with_services(["x", "y", "x"]),
        one().with_services(named(65)),
        one().with_capabilities(["", "x"]),
        Registration::new(""),
    ];
    for registration in refused {
        let entered = directory.enter(1, registration.clone(), 0);
        assert_eq!(entered, Err(Kind::AgentInvalid), "{registration:?}");
    }
    let most = one().with_addresses(named(16)).with_services(named(64));
    assert_eq!(directory.enter(1, most.clone(), 0).unwrap().epoch, 1);
    let found = directory.find(&Query::new(), 0).agents.remove(0);
    assert_eq!(found.addresses, most.addresses);
    assert_eq!(found.services, most.services);
}

/// [MXP-12.5].
#[test]
fn a_query_finds_those_that_are_all_that_it_says() {
    let mut directory = Directory::new();
    for (name, capability, service) in [("a", "x", "s"), ("b", "x", "t"), ("c", "y", "t")] {
        let registration = Registration::new(name)
            .with_capabilities([capability, "all"])
            .with_services([service, "u"]);
        directory.enter(1, registration, 0).unwrap();
    }
    let mut find = |capability: &str, name: &str, service: &str| {
        let query = Query::new().with_capability(capability).with_name(name);
        let query = query.with_service(service).with_version(5);
        let found = directory.find(&query, 0);
        assert_eq!((found.version, found.age), (0, 0));
        let names = found.agents.into_iter().map(|agent| agent.name);
        names.collect::<Vec<_>>().concat()
    };
    assert_eq!(find("", "", ""), "abc");
    assert_eq!(find("all", "", "u"), "abc");
    assert_eq!(find("x", "", ""), "ab");
    assert_eq!(find("", "", "t"), "bc");
    assert_eq!(find("x", "", "t"), "b");
    assert_eq!(find("x", "b", "t"), "b");
    assert_eq!(find("x", "c", ""), "");
    assert_eq!(find("", "c", ""), "c");
}
