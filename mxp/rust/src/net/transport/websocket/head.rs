//! Where the head of a request or an answer of HTTP ends.

/// The end of a head.
const END: &[u8] = b"\r\n\r\n";

/// The beginning of an answer that opens a WebSocket.
const OPENS: &[u8] = b"HTTP/1.1 101 ";

/// The kind of bytes that are behind a head.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Remainder {
    Frames,
    Text,
}

/// A head, as far as it has come.
#[derive(Debug)]
pub(super) struct Head {
    /// The beginning behind which there are frames, and how many bytes of it have come.
    opens: &'static [u8],
    opened: usize,
    bytes: usize,
    /// How many bytes of its end have come.
    end: usize,
}

impl Head {
    /// The head of a request, behind which there are frames.
    pub(super) const fn of_request() -> Self {
        Self {
            opens: &[],
            opened: 0,
            bytes: 0,
            end: 0,
        }
    }

    /// The head of an answer.
    pub(super) const fn of_answer() -> Self {
        Self {
            opens: OPENS,
            ..Self::of_request()
        }
    }

    /// How many of the next bytes are of it.
    pub(super) fn measure(&mut self, input: &[u8]) -> usize {
        for (n, byte) in input.iter().enumerate() {
            self.opened += usize::from(self.opens.get(self.bytes) == Some(byte));
            self.bytes += 1;
            self.end = match self.end {
                end if END[end] == *byte => end + 1,
                _ => usize::from(END[0] == *byte),
            };
            if self.end == END.len() {
                return n + 1;
            }
        }
        input.len()
    }

    /// The kind of bytes that are behind it, once it is whole.
    pub(super) fn behind(&self) -> Option<Remainder> {
        let is_whole = self.end == END.len();
        let opens = self.opened == self.opens.len();
        is_whole.then_some(if opens {
            Remainder::Frames
        } else {
            Remainder::Text
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_with_an_empty_line() {
        let text = b"HTTP/1.1 101 Switching Protocols\r\nA: b\r\r\n\r\nmore";
        for first in 0..text.len() {
            let mut head = Head::of_answer();
            let (now, later) = text.split_at(first);
            let mut n = head.measure(now);
            if head.behind().is_none() {
                assert_eq!(n, now.len());
                n += head.measure(later);
            }
            assert_eq!(n, text.len() - b"more".len());
            assert_eq!(head.behind(), Some(Remainder::Frames));
        }
    }

    #[test]
    fn an_answer_that_opens_nothing_has_a_text() {
        for text in ["HTTP/1.1 403 Forbidden\r\n\r\n", "101\r\n\r\n", "\r\n\r\n"] {
            let mut head = Head::of_answer();
            assert_eq!(head.measure(text.as_bytes()), text.len());
            assert_eq!(head.behind(), Some(Remainder::Text));
        }
        let mut head = Head::of_request();
        assert_eq!(head.measure(b"GET / HTTP/1.1\r\n"), 16);
        assert_eq!(head.behind(), None);
        assert_eq!(head.measure(b"\r\n"), 2);
        assert_eq!(head.behind(), Some(Remainder::Frames));
    }
}
