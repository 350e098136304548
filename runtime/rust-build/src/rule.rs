/// The one rule of make that the compiler writes: which files were made of which.
#[derive(Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) made: Vec<String>,
    pub(crate) of: Vec<String>,
}

impl Rule {
    /// Reads a rule; a text without a colon is none.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut words = words(text);
        let colon = words.iter().position(|word| word.ends_with(':'))?;
        let of = words.split_off(colon + 1);
        words[colon].pop();
        words.retain(|word| !word.is_empty());
        Some(Self { made: words, of })
    }
}

/// Splits at blanks; a blank behind a backslash belongs to its word.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', Some(&escaped @ (' ' | '#'))) | ('$', Some(&escaped @ '$')) => {
                word.push(escaped);
                rest.next();
            }
            (' ' | '\n', _) => words.push(std::mem::take(&mut word)),
            _ => word.push(c),
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_blanks_colons_and_dollars() {
        let rule =
            Rule::parse("C:/out/a.rs /out\\ here/b.rs: a.sdp we\\#ird/$$b.sdp back\\slash\n")
                .unwrap();
        assert_eq!(rule.made, ["C:/out/a.rs", "/out here/b.rs"]);
        assert_eq!(rule.of, ["a.sdp", "we#ird/$b.sdp", "back\\slash"]);
    }

    #[test]
    fn a_rule_of_nothing_is_empty() {
        let rule = Rule::parse(": a.sdp\n").unwrap();
        assert_eq!(rule.made, [""; 0]);
        assert_eq!(rule.of, ["a.sdp"]);
    }

    #[test]
    fn what_has_no_colon_is_no_rule() {
        assert_eq!(Rule::parse("a.rs b.sdp"), None);
        assert_eq!(Rule::parse(""), None);
    }
}
