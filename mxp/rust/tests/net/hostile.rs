//! Peers that mean no good: the limit is named, and others are served.

use std::future::Future as _;
use std::io::Write as _;
use std::sync::atomic::Ordering;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mxp::frame::{Checksum, Frame, Header, Type};
use mxp::net::{Client, Options, ServerHandle};
use mxp::session::{Grant, Kind, Limits, Request};

use crate::demo::{limited, sides, until, Seen, ALL, ECHO, HANG, IDLE, ONE, SERVICE, UPPER};
use crate::raw::{Raw, Told};

/// Lets a thread do something to the server, and checks that others are served
/// meanwhile and afterwards.
async fn against<T: Send + 'static>(
    server: &ServerHandle,
    attack: impl FnOnce(Raw) -> T + Send + 'static,
) -> T {
    let address = server.address().clone();
    let raw = tokio::task::spawn_blocking(move || attack(Raw::connect(&address)));
    let client = Client::connect(&server.address().to_string()).unwrap();
    let options = Options::new().with_deadline(Duration::from_secs(10));
    let call = || client.call(SERVICE, ECHO, b"x".to_vec(), &options);
    while !raw.is_finished() {
        call().await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    call().await.unwrap();
    raw.await.unwrap()
}

fn ended_by(name: &str) -> Told {
    Told {
        end: Some(name.into()),
        ..Told::default()
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_byte_now_and_then_is_too_slow() {
    let limits = Limits {
        frame_us: 200_000,
        ..Limits::default()
    };
    let (server, _) = limited(limits).await;
    let told = against(&server, |mut raw| {
        let id = raw.session.call(&Request::new(0, ECHO), &[0; 100], 0);
        let bytes = raw.session.poll_frame(0).unwrap().to_vec();
        assert_eq!(id, Ok(1));
        for byte in bytes {
            std::thread::sleep(Duration::from_millis(10));
            if raw.stream.write_all(&[byte]).is_err() {
                break;
            }
        }
        raw.read_all()
    });
    let told = told.await;
    assert_eq!(told.end.as_deref(), Some("session_slow"));
    assert_eq!(server.stats().refusals(Kind::Slow), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_never_reads_is_left() {
    let limits = Limits {
        stall_us: 200_000,
        in_flight_bytes: 8 << 20,
        ..Limits::default()
    };
    let (server, _) = limited(limits).await;
    let begun = Instant::now();
    against(&server, |mut raw| loop {
        let value = vec![0; 64 << 10];
        let made = raw.session.call(&Request::new(0, ECHO), value, 0);
        if made.is_err() || raw.send().is_err() {
            break;
        }
    })
    .await;
    assert!(begun.elapsed() < Duration::from_secs(10));
    until("it is closed", || server.connections() <= 1).await;
    assert_eq!(server.stats().refusals(Kind::Stalled), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_without_number_are_refused() {
    let limits = Limits {
        refusals: 100_000,
        ..Limits::default()
    };
    let (server, _) = limited(limits).await;
    let told = against(&server, |mut raw| {
        let mut told = Told::default();
        let mut left = 100_000;
        while left > 0 {
            for _ in 0..500 {
                let request = Request::new(0, IDLE);
                let made = raw.session.open(&request, Grant::default(), true, b"", 0);
                made.unwrap();
                left -= 1;
            }
            raw.send().unwrap();
            while raw.session.in_flight().1 > 4096 && raw.read(&mut told) {}
        }
        raw.close();
        told
    });
    let told = told.await;
    assert_eq!(told.ended["limit_in_flight"], 100_000 - 4096);
    until("all are gone", || server.stats().in_flight() == (0, 0)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_that_are_taken_back_at_once_leave_nothing() {
    let limits = Limits {
        refusals: 100_000,
        ..Limits::default()
    };
    let (server, seen) = limited(limits).await;
    against(&server, |mut raw| {
        for n in 0..20_000 {
            let id = raw.session.call(&Request::new(0, HANG), b"", 0).unwrap();
            raw.send().unwrap();
            raw.session.cancel(id, 0).unwrap();
            raw.send().unwrap();
            if n % 1000 == 0 {
                raw.session.poll_incoming();
            }
        }
        let id = raw.session.call(&Request::new(0, ECHO), b"", 0);
        id.unwrap();
        raw.send().unwrap();
        let mut told = Told::default();
        while raw.session.in_flight().1 > 0 && raw.read(&mut told) {}
        raw.close();
    })
    .await;
    until("no handler is left", || {
        seen.hanging.load(Ordering::SeqCst) == 0
    })
    .await;
    until("no place is taken", || server.stats().in_flight() == (0, 0)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_length_that_lies_is_refused_from_the_header() {
    let (server, _) = limited(Limits::default()).await;
    let told = against(&server, |mut raw| {
        let header = Header {
            message_id: 1,
            ..Header::new(Type::Call)
        };
        let frame = Frame {
            header,
            payload: &[],
        };
        let mut bytes = frame.encode_to_vec(Checksum::On).unwrap();
        bytes[24..32].copy_from_slice(&(1_u64 << 40).to_le_bytes());
        raw.stream.write_all(&bytes[..32]).unwrap();
        raw.read_all()
    });
    assert_eq!(told.await, ended_by("frame_too_large"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_dies_inside_a_frame_is_forgotten() {
    let (server, _) = limited(Limits::default()).await;
    against(&server, |mut raw| {
        let made = raw.session.call(&Request::new(0, ECHO), &[0; 5000], 0);
        made.unwrap();
        let bytes = raw.session.poll_frame(0).unwrap().to_vec();
        raw.stream.write_all(&bytes[..3000]).unwrap();
        raw.close();
    })
    .await;
    until("it is closed", || server.connections() <= 1).await;
    assert_eq!(server.stats().in_flight().1, 0);
}

/// [MXP-9.7].
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_in_a_loop_are_slow() {
    let limits = Limits {
        refusals: 100,
        refusals_per_ms: 1,
        ..Limits::default()
    };
    let (server, _) = limited(limits).await;
    let begun = Instant::now();
    let told = against(&server, |mut raw| {
        let mut told = Told::default();
        for method in [99; 600].into_iter().chain([ECHO]) {
            raw.session.call(&Request::new(0, method), b"", 0).unwrap();
        }
        raw.send().unwrap();
        while raw.session.in_flight().1 > 0 && raw.read(&mut told) {}
        raw.close();
        told
    });
    assert_eq!(told.await.ended["method_unknown"], 600);
    assert!(begun.elapsed() >= Duration::from_millis(400));
    assert!(server.stats().refusals(Kind::LimitRefusals) > 0);
}

/// All that may be in flight can be refused at once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusals_at_once_are_fast() {
    let (server, _) = limited(Limits::default()).await;
    let told = against(&server, |mut raw| {
        let mut told = Told::default();
        for _ in 0..4096 {
            raw.session.call(&Request::new(0, 99), b"", 0).unwrap();
        }
        raw.send().unwrap();
        while raw.session.in_flight().1 > 0 && raw.read(&mut told) {}
        raw.close();
        told
    });
    assert_eq!(told.await.ended["method_unknown"], 4096);
    assert_eq!(server.stats().refusals(Kind::LimitRefusals), 0);
}

// [MXP-8.1] [MXP-8.5]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_whose_chunks_ask_for_acks_ends() {
    let (server, _) = limited(Limits::default()).await;
    let told = against(&server, |mut raw| {
        let mut told = Told::default();
        for method in [UPPER, ONE] {
            let request = Request::new(0, method);
            let grant = Grant {
                messages: 9,
                bytes: 99,
            };
            let id = raw.session.open(&request, grant, false, b"", 0).unwrap();
            raw.send().unwrap();
            while raw.session.may_chunk(id, 4).is_err() && raw.read(&mut told) {}
            for n in 1..=4 {
                let value = vec![b'x'; n];
                raw.session.chunk(id, n == 4, n > 1, value, 0).unwrap();
            }
            raw.send().unwrap();
            while told.acked.get(&id) != Some(&4) && raw.read(&mut told) {}
        }
        raw.close();
        told
    });
    let told = told.await;
    assert_eq!(told.acked.into_values().collect::<Vec<_>>(), [4, 4]);
    until("both have ended", || server.stats().in_flight() == (0, 0)).await;
}

// Nothing is read from it, since it holds too much. Windows tells nobody who does not read. [MXP-15.3]
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_that_hangs_up_unread_is_found_out_over_every_transport() {
    for &transport in ALL {
        let seen = Arc::new(Seen::default());
        let (address, server, client) = sides(transport, &seen);
        let limits = Limits {
            connection_bytes: 60_000,
            ..Limits::default()
        };
        let server = server.limits(limits).listen(&address).await.unwrap();
        let address = server.address().to_string();
        // Its sockets are closed with it, and it says nothing before.
        let others = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let asks = others.spawn(async move {
            let client = client.connect(&address).unwrap();
            let options = Options::default();
            let calls = (0..12).map(|_| client.call(SERVICE, HANG, vec![0; 6_000], &options));
            let mut calls: Vec<_> = calls.map(Box::pin).collect();
            std::future::poll_fn(|cx| {
                for call in &mut calls {
                    let _ = call.as_mut().poll(cx);
                }
                std::task::Poll::<()>::Pending
            })
            .await;
        });
        until("it is not read", || {
            server.stats().held_bytes() > 60_000 || asks.is_finished()
        })
        .await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(server.connections(), 1, "{transport:?}");
        others.shutdown_background();
        let since = Instant::now();
        until(&format!("{transport:?} is gone"), || {
            server.connections() == 0
        })
        .await;
        assert!(since.elapsed() < Duration::from_secs(5), "{transport:?}");
    }
}
