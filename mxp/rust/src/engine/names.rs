//! The names of the services that a peer has.

use alloc::string::String;
use alloc::vec::Vec;

/// How many services have numbers.
const MOST: usize = 1 << 16;

/// Names by number. They lie in one text, since a peer may have very many.
#[derive(Debug, Default)]
pub(crate) struct Names {
    text: String,
    /// Where each ends.
    ends: Vec<u32>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, number: u16) -> Option<&str> {
        self.iter().nth(usize::from(number))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let end = end as usize;
            let name = self.text.get(start..end).unwrap_or_default();
            start = end;
            name
        })
    }

    /// The number of a service.
    pub(crate) fn find(&self, name: &str) -> Option<u16> {
        let (text, mut start) = (self.text.as_bytes(), 0);
        let place = self.ends.iter().position(|&end| {
            let one = text.get(start..end as usize);
            start = end as usize;
            one == Some(name.as_bytes())
        });
        u16::try_from(place?).ok()
    }
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let mut all = Self::default();
        for name in names.into_iter().take(MOST) {
            all.text.push_str(name);
            all.ends
                .push(u32::try_from(all.text.len()).unwrap_or(u32::MAX));
        }
        all.text.shrink_to_fit();
        all.ends.shrink_to_fit();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_their_numbers() {
        let names: Names = ["a.A", "", "b.B", "a.A"].into_iter().collect();
        assert_eq!(names.iter().collect::<Vec<_>>(), ["a.A", "", "b.B", "a.A"]);
        assert_eq!(names.find("a.A"), Some(0));
        assert_eq!((names.find("b.B"), names.find("c")), (Some(2), None));
        let many: Names = core::iter::repeat("x").take(70_000).collect();
        assert_eq!(many.len(), MOST);
    }
}
