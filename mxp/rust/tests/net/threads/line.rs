use std::time::Duration;

use mxp::net::{Options, Reply, Service};
use mxp::session::{Kind, Limits};

use super::{patient, Pair};
use crate::demo::SERVICE;

/// A call that takes as many milliseconds as its value has bytes.
fn slow() -> Service {
    Service::new(SERVICE).call(1, |request| async move {
        tokio::time::sleep(Duration::from_millis(request.value.len() as u64)).await;
        Ok(Reply::new(request.value))
    })
}

/// A call that has no place here waits in line, and not longer than its deadline.
#[test]
fn what_has_no_place_here_waits_in_line() {
    let limits = Limits {
        in_flight: 2,
        ..Limits::default()
    };
    let pair = Pair::of(
        mxp::net::Server::new().service(slow()),
        patient().limits(limits),
        std::sync::Arc::default(),
    );
    let call = |millis: usize, options: &Options| {
        let client = pair.client.clone();
        client.call(SERVICE, 1, vec![0; millis], options)
    };
    std::thread::scope(|scope| {
        for n in 0..8 {
            scope.spawn(move || {
                for _ in 0..10 {
                    assert_eq!(call(n, &Options::new()).unwrap().value.len(), n);
                }
            });
        }
    });
    let refusals = pair.listening.as_ref().unwrap().stats();
    assert_eq!(refusals.refusals(Kind::LimitInFlight), 0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| call(400, &Options::new()).unwrap());
        }
        super::until("both places are taken", || pair.in_flight() == 2);
        let last = scope.spawn(|| call(1, &Options::new()).unwrap());
        let options = Options::new().with_deadline(Duration::from_millis(50));
        let late = call(1, &options).unwrap_err();
        assert_eq!((&late.name[..], late.acted), ("deadline_exceeded", false));
        // The one behind it has its turn nevertheless.
        assert_eq!(last.join().unwrap().value.len(), 1);
    });
}
