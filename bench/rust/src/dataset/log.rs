//! The log of a web server of `bench/schemas/log.sdp`.

use std::path::Path;

use super::random::Random;
use super::{borrowed, owned, Data, Sum};

owned! {
    #[derive(Copy)]
    #[repr(C)]
    pub struct Address {
        pub x0: u8,
        pub x1: u8,
        pub x2: u8,
        pub x3: u8,
    }

    pub struct Log {
        pub address: Address,
        pub identity: String,
        pub userid: String,
        pub date: String,
        pub request: String,
        pub code: u16,
        pub size: u64,
    }

    pub struct Logs {
        pub logs: Vec<Log>,
    }
}

borrowed! {
    pub struct LogRef<'a> {
        pub address: Address,
        pub identity: &'a str,
        pub userid: &'a str,
        pub date: &'a str,
        pub request: &'a str,
        pub code: u16,
        pub size: u64,
    }

    pub struct LogsRef<'a> {
        #[serde(borrow)]
        pub logs: Vec<LogRef<'a>>,
    }
}

impl From<LogRef<'_>> for Log {
    fn from(from: LogRef<'_>) -> Self {
        Self {
            address: from.address,
            identity: from.identity.into(),
            userid: from.userid.into(),
            date: from.date.into(),
            request: from.request.into(),
            code: from.code,
            size: from.size,
        }
    }
}

impl From<LogsRef<'_>> for Logs {
    fn from(from: LogsRef<'_>) -> Self {
        Self {
            logs: from.logs.into_iter().map(Into::into).collect(),
        }
    }
}

impl Data for Logs {
    const NAME: &'static str = "log";

    fn load(_: &Path) -> Self {
        Self {
            logs: Random::new().many(10_000, 10_001, log),
        }
    }

    fn sum(&self) -> u64 {
        let mut sum = Sum::default();
        for log in &self.logs {
            sum.uint(log.address.x0);
            sum.uint(log.address.x1);
            sum.uint(log.address.x2);
            sum.uint(log.address.x3);
            sum.uint(log.code);
            sum.uint(log.size);
        }
        sum.0
    }
}

const USERS: [&str; 9] = [
    "-", "alice", "bob", "carmen", "david", "eric", "frank", "george", "harry",
];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const METHODS: [&str; 5] = ["GET", "POST", "PUT", "UPDATE", "DELETE"];
const PROTOCOLS: [&str; 4] = ["HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/3"];
const ROUTES: [&str; 7] = [
    "/favicon.ico",
    "/css/index.css",
    "/css/font-awsome.min.css",
    "/img/logo-full.svg",
    "/img/splash.jpg",
    "/api/login",
    "/api/logout",
];

/// The 63 registered status codes, as runs of consecutive numbers.
const CODES: [std::ops::Range<u16>; 11] = [
    100..104,
    200..209,
    226..227,
    300..309,
    400..419,
    421..427,
    428..430,
    431..432,
    451..452,
    500..509,
    510..512,
];

fn log(random: &mut Random) -> Log {
    let date = format!(
        "{}/{}/{}:{}:{}:{} {:+03}00",
        random.between(1, 29),
        random.pick(&MONTHS),
        random.between(1970, 2022),
        random.between(0, 24),
        random.between(0, 60),
        random.between(0, 60),
        random.between(-12, 13),
    );
    let request = format!(
        "{} {} {}",
        random.pick(&METHODS),
        random.pick(&ROUTES),
        random.pick(&PROTOCOLS)
    );
    let [x0, x1, x2, x3] = random.bits32().to_le_bytes();
    Log {
        address: Address { x0, x1, x2, x3 },
        identity: "-".into(),
        userid: random.pick(&USERS).into(),
        date,
        request,
        code: random.pick(&CODES.into_iter().flatten().collect::<Vec<_>>()),
        size: random.below(100_000_000) as u64,
    }
}
