//! Paths of `json-update`: `image.tag`, `list.0`, `list.-1`, and queries such as `list.#(name=="x").v`.

/// A path through a JSON document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Path<'p> {
    /// Keys and indexes; what is missing on the way is made.
    Direct(Vec<Part>),
    /// A query; what it finds is replaced, and nothing is made.
    Query(&'p str),
}

/// One part of a direct path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) name: String,
    /// Whether a colon says that it is a key where one has to be made.
    pub(super) is_key: bool,
}

impl Part {
    /// The index that the part stands for where a list has to be made or grows. An empty part stands for the first.
    pub(super) fn new_index(&self) -> Option<Index> {
        match self.name.as_str() {
            _ if self.is_key => None,
            "-1" => Some(Index::Next),
            "" => Some(Index::At(0)),
            _ => self.index().map(Index::At),
        }
    }

    /// The index that the part stands for in a list that is there.
    pub(super) fn index(&self) -> Option<usize> {
        let is_number =
            !self.name.is_empty() && self.name.bytes().all(|byte| byte.is_ascii_digit());
        // A number too large for a list is out of any list's range.
        is_number.then(|| self.name.parse().unwrap_or(usize::MAX))
    }
}

/// A place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Index {
    At(usize),
    /// Behind the last item.
    Next,
}

impl<'p> Path<'p> {
    /// Reads a path. Dots separate, a backslash takes the next character as it is, a colon before a part makes it a
    /// key; any of `| # @ * ?` outside of an escape makes the whole a query.
    pub(super) fn parse(text: &'p str) -> Self {
        let mut parts = Vec::new();
        let mut part = Part { name: String::new(), is_key: false };
        let mut is_at_start = true;
        let mut characters = text.chars();
        while let Some(character) = characters.next() {
            match character {
                '|' | '#' | '@' | '*' | '?' => return Self::Query(text),
                '.' => parts.push(std::mem::replace(
                    &mut part,
                    Part { name: String::new(), is_key: false },
                )),
                ':' if is_at_start => part.is_key = true,
                '\\' => part.name.extend(characters.next()),
                other => part.name.push(other),
            }
            is_at_start = character == '.';
        }
        parts.push(part);
        Self::Direct(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn direct(text: &str) -> Vec<(String, bool)> {
        match Path::parse(text) {
            Path::Direct(parts) => parts.into_iter().map(|part| (part.name, part.is_key)).collect(),
            Path::Query(_) => panic!("{text} is direct"),
        }
    }

    #[test]
    fn paths_are_read_as_sjson_reads_them() {
        let part = |name: &str| (name.to_owned(), false);
        assert_eq!(direct("a.b"), [part("a"), part("b")]);
        assert_eq!(direct(r"a\.b\*.c\\"), [part("a.b*"), part(r"c\")]);
        assert_eq!(direct("."), [part(""), part("")]);
        assert_eq!(direct("a:b.:0"), [part("a:b"), ("0".to_owned(), true)]);
        assert_eq!(direct(r"\:a"), [part(":a")]);
        for query in ["*", "a.#", "a|b", "@this", "a.?", "a.#(b==1).c"] {
            assert_eq!(Path::parse(query), Path::Query(query));
        }
    }
}
