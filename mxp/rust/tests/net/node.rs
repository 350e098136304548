//! A node that answers as a test wants.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

use mxp::session::{Agent, Config, Incoming, Lease, Listing, Role, Session};

use crate::demo::{place, plain, PlainListener, PlainStream};

/// The answers that a node gives.
struct Answers {
    lease: u64,
    agents: usize,
    /// Where all agents are.
    at: String,
    /// Registrations, heartbeats and queries.
    asked: AtomicU64,
    /// Of the last answer.
    version: AtomicU64,
    was_wrong: AtomicBool,
}

impl Answers {
    /// Agents, of which each eighth answer has others.
    fn listing(&self, version: u64) -> Listing {
        if self.version.load(Ordering::SeqCst) != version {
            self.was_wrong.store(true, Ordering::SeqCst);
        }
        let version = self.version.fetch_add(1, Ordering::SeqCst) + 1;
        let all = 0..self.agents as u64;
        let there = all.filter(|n| n % 4 != version / 8 % 4);
        let agents = there.map(|n| Agent {
            name: format!("agent-{n}"),
            addresses: vec!["mxp+nothing:///x".into(), self.at.clone()],
            ..Agent::default()
        });
        Listing::new(agents.collect::<Vec<_>>()).with_version(version)
    }

    fn serve(&self, mut stream: PlainStream) {
        let mut session = Session::new(Config::new().with_agents(), Role::Acceptor, 0).unwrap();
        let mut buffer = vec![0; 1 << 16];
        loop {
            while let Some(frames) = session.poll_frames(1 << 16, 0) {
                if stream.write_all(&frames.to_vec()).is_err() {
                    return;
                }
            }
            let Ok(n @ 1..) = stream.read(&mut buffer) else {
                return;
            };
            let mut rest = &buffer[..n];
            let mut answers = Vec::new();
            while let Some(incoming) = session.receive(&mut rest, 0) {
                let lease = || Lease::new(self.lease, 1).to_value();
                answers.extend(match incoming {
                    Incoming::Register(asked) => Some((asked.id, lease())),
                    Incoming::Heartbeat(asked) => Some((asked.id, lease())),
                    Incoming::Discover(asked) => {
                        let listing = self.listing(asked.to_query().version);
                        Some((asked.id, listing.to_value().unwrap()))
                    }
                    _ => None,
                });
            }
            for (id, value) in answers {
                self.asked.fetch_add(1, Ordering::SeqCst);
                session.respond(id, &[], value, 0).unwrap();
            }
        }
    }
}

pub(crate) struct Node {
    pub(crate) address: String,
    answers: Arc<Answers>,
}

impl Node {
    /// A node that gives each registration the same lease.
    pub(crate) fn of_lease(lease: u64) -> Self {
        Self::new(lease, 0, "")
    }

    /// A node that knows of agents at one address.
    pub(crate) fn of_agents(agents: usize, at: &str) -> Self {
        Self::new(0, agents, at)
    }

    fn new(lease: u64, agents: usize, at: &str) -> Self {
        let address = plain();
        let listener = PlainListener::bind(place(&address)).unwrap();
        let answers = Arc::new(Answers {
            lease,
            agents,
            at: at.into(),
            asked: AtomicU64::new(0),
            version: AtomicU64::new(0),
            was_wrong: AtomicBool::new(false),
        });
        let served = Arc::clone(&answers);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let served = Arc::clone(&served);
                std::thread::spawn(move || served.serve(stream));
            }
        });
        Self { address, answers }
    }

    pub(crate) fn asked(&self) -> u64 {
        self.answers.asked.load(Ordering::SeqCst)
    }

    pub(crate) fn was_wrong(&self) -> bool {
        self.answers.was_wrong.load(Ordering::SeqCst)
    }
}
