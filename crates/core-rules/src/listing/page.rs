//! Long lists in portions.

use super::ListingError;

/// Which portion of a list is wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// `None`: all that is left.
    limit: Option<usize>,
    from: Option<From>,
}

/// Where the portion before ended. Its last object says where that is now; if it is gone, its place counts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct From {
    place: usize,
    name: String,
}

/// A portion of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// The place of the first object.
    pub start: usize,
    /// The place behind the last object.
    pub end: usize,
    /// How many there are in the whole list.
    pub total: usize,
}

impl Page {
    /// Reads the parameters; absent ones are empty. A limit of zero is none.
    pub fn parse(limit: &str, token: &str) -> Result<Self, ListingError> {
        let limit = match limit {
            "" => 0,
            text => text.parse().map_err(|_| ListingError::Limit(text.to_owned()))?,
        };
        let from = match token {
            "" => None,
            token => {
                Some(From::parse(token).ok_or_else(|| ListingError::Continue(token.to_owned()))?)
            }
        };
        Ok(Self { limit: Some(limit).filter(|limit| *limit > 0), from })
    }

    /// Whether it is the whole list.
    pub fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// The same page, if none was asked for, of at most this many objects.
    #[must_use]
    pub fn or_limit(self, limit: usize) -> Self {
        Self { limit: Some(self.limit.unwrap_or(limit).min(limit)), ..self }
    }

    /// The portion of a list of objects with these names.
    pub fn portion<T>(&self, items: &[T], name: impl Fn(&T) -> &str) -> Portion {
        let start = self.from.as_ref().map_or(0, |from| from.place_in(items, name));
        let left = items.len().saturating_sub(start);
        let end = start + self.limit.map_or(left, |limit| limit.min(left));
        Portion { start, end, total: items.len() }
    }
}

impl Portion {
    /// How many objects come after it.
    pub fn remaining(&self) -> usize {
        self.total.saturating_sub(self.end)
    }

    /// What to send as `continue` for the next portion, given the name of the last object of this one.
    pub fn token(&self, last: &str) -> Option<String> {
        (self.remaining() > 0 && self.end > 0).then(|| format!("{}.{last}", self.end))
    }
}

impl From {
    fn parse(token: &str) -> Option<Self> {
        let (place, name) = token.split_once('.')?;
        let place = place.parse().ok().filter(|place| *place > 0)?;
        Some(Self { place, name: name.to_owned() })
    }

    fn place_in<T>(&self, items: &[T], name: impl Fn(&T) -> &str) -> usize {
        let is_last = |item: &T| name(item) == self.name;
        // A name can stand in a list more than once; the place tells which one is meant.
        if items.get(self.place - 1).is_some_and(is_last) {
            return self.place;
        }
        let found = items.iter().position(is_last).map(|place| place + 1);
        found.unwrap_or_else(|| self.place.min(items.len()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(items: &[String], limit: usize) -> Vec<String> {
        let (mut seen, mut token) = (Vec::new(), String::new());
        loop {
            let page = Page::parse(&limit.to_string(), &token).unwrap();
            let portion = page.portion(items, String::as_str);
            seen.extend_from_slice(&items[portion.start..portion.end]);
            match seen.last().and_then(|last| portion.token(last)) {
                Some(next) => token = next,
                None => return seen,
            }
        }
    }

    proptest! {
        #[test]
        fn all_portions_are_the_whole(names in prop::collection::vec("[a-c]{1,2}", 0..30), limit in 1_usize..7) {
            prop_assert_eq!(all(&names, limit), names);
        }
    }

    #[test]
    fn one_goes_on_where_the_last_object_is_now_or_was() {
        let portion =
            |items: &[&str]| Page::parse("2", "2.b").unwrap().portion(items, |name| name).start;
        assert_eq!(portion(&["a", "b", "c"]), 2);
        assert_eq!(portion(&["new", "a", "b", "c"]), 3);
        assert_eq!(portion(&["a", "c", "d"]), 2);
        assert_eq!(portion(&["a"]), 1);
    }

    #[test]
    fn what_was_not_given_out_is_refused() {
        for token in ["x", "0.a", "-1.a", ".a"] {
            assert_eq!(Page::parse("", token), Err(ListingError::Continue(token.to_owned())));
        }
        assert_eq!(Page::parse("-1", ""), Err(ListingError::Limit("-1".to_owned())));
        assert!(Page::parse("0", "").unwrap().is_everything());
    }
}
