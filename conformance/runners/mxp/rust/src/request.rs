//! Requests.

use std::fmt::Write as _;

use mxp::frame::Checksum;

/// One line, split.
pub struct Request<'a> {
    pub op: &'a str,
    pub data: Vec<u8>,
    pub checksum: Checksum,
    pub limit: Option<usize>,
    pub prefix: bool,
    cuts: Vec<usize>,
    pub frame_type: u8,
    pub flags: u8,
    pub message_id: u64,
    pub trace_id: u64,
}

impl<'a> Request<'a> {
    pub fn parse(line: &'a str) -> Result<Self, String> {
        let mut words = line.split_whitespace();
        let mut request = Self {
            op: words.next().unwrap_or_default(),
            data: Vec::new(),
            checksum: Checksum::On,
            limit: None,
            prefix: false,
            cuts: Vec::new(),
            frame_type: 0,
            flags: 0,
            message_id: 0,
            trace_id: 0,
        };
        for word in words {
            let read = match word.split_once('=') {
                Some((key, value)) => request.set(key, value),
                None => unhex(word).map(|data| request.data = data),
            };
            read.ok_or_else(|| format!("{word:?} is not understood"))?;
        }
        Ok(request)
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match (key, value) {
            ("checksum", "off") => self.checksum = Checksum::Off,
            ("prefix", "yes") => self.prefix = true,
            ("limit", n) => self.limit = Some(n.parse().ok()?),
            ("cuts", "") => {}
            ("cuts", list) => {
                let cuts = list.split(',').map(|cut| cut.parse().ok());
                self.cuts = cuts.collect::<Option<_>>()?;
            }
            ("type", n) => self.frame_type = n.parse().ok()?,
            ("flags", n) => self.flags = n.parse().ok()?,
            ("id", n) => self.message_id = n.parse().ok()?,
            ("trace", n) => self.trace_id = n.parse().ok()?,
            ("payload", digits) => self.data = unhex(digits)?,
            _ => return None,
        }
        Some(())
    }

    /// The data, cut in pieces.
    pub fn pieces(&self) -> Result<Vec<&[u8]>, String> {
        let mut start = 0;
        let mut pieces = Vec::new();
        for cut in self.cuts.iter().copied().chain([self.data.len()]) {
            let piece = self.data.get(start..cut);
            pieces.push(piece.ok_or_else(|| format!("there is no cut at {cut}"))?);
            start = cut;
        }
        Ok(pieces)
    }
}

pub fn hex(bytes: &[u8]) -> String {
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        write!(digits, "{byte:02x}").expect("a String takes all text");
    }
    digits
}

/// Reads hexadecimal digits; no bytes are written `-`.
pub fn unhex(digits: &str) -> Option<Vec<u8>> {
    let digits = digits.strip_prefix('-').unwrap_or(digits).as_bytes();
    let pairs = digits.chunks(2).map(|pair| {
        let &[high, low] = pair else { return None };
        let digit = |c: u8| char::from(c).to_digit(16);
        u8::try_from(16 * digit(high)? + digit(low)?).ok()
    });
    pairs.collect()
}
