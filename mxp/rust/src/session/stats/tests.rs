use super::*;

#[test]
fn each_type_has_its_place() {
    for (i, frame_type) in Type::ALL.into_iter().enumerate() {
        assert_eq!(frame_type.place(), i);
    }
}

fn method(side: Side, service: &str, method: &str) -> MethodStats {
    MethodStats {
        side,
        service: service.into(),
        method: method.into(),
        in_flight: 0,
        statuses: [0; 18],
        times: [0; BUCKETS + 1],
        time: 0,
    }
}

// The file has the text that all languages make of the same counts.
#[cfg(feature = "std")]
#[test]
fn methods_have_one_text() {
    let mut find = method(Side::Client, "demo.Shop", "find");
    find.in_flight = 2;
    find.statuses[0] = 4;
    find.statuses[5] = 1;
    for took in [1, 2, 3, 700, (1 << 25) + 1] {
        find.times[bucket(took)] += 1;
        find.time += took;
    }
    let mut odd = method(Side::Server, "a\"b\\c\nd", "9");
    (odd.statuses[16], odd.statuses[17], odd.times[0]) = (2, 1, 3);
    let mut rest = method(Side::Server, "", "");
    rest.in_flight = 5;
    let mut stats = Stats::default();
    for one in [odd, rest, find] {
        let methods = alloc::vec![one];
        let one = Stats {
            methods,
            ..Stats::default()
        };
        stats.add(&one);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/metrics.txt");
    assert_eq!(stats.prometheus(), std::fs::read_to_string(path).unwrap());
    stats.add(&stats.clone());
    assert_eq!(stats.methods.len(), 3);
    assert_eq!(
        (
            stats.methods[0].in_flight,
            stats.methods[0].requests(Status::OK)
        ),
        (4, 8)
    );
}

#[test]
fn a_bound_belongs_to_its_bucket() {
    let mut counters = Counters::default();
    for microseconds in [0, 1, 2, 3, 4, 5, 1 << 25, (1 << 25) + 1, u64::MAX] {
        counters.took(microseconds);
    }
    assert_eq!(counters.times[..4], [2, 1, 2, 1]);
    assert_eq!(counters.times[25..], [1, 2]);
    assert_eq!(counters.time, u64::MAX);
}
