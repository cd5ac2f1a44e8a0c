//! Lexical algebra of slash-separated paths: no file system is asked.

/// The shortest path that means the same: no doubled slashes, no `.`, no `..` that can be resolved.
/// An empty path is `.`.
pub fn clean(path: &str) -> String {
    let is_rooted = path.starts_with('/');
    let mut components: Vec<&str> = Vec::new();
    for component in path.split('/') {
        match (component, components.last().copied()) {
            ("" | ".", _) => {}
            ("..", None) if is_rooted => {}
            ("..", Some(last)) if last != ".." => {
                components.pop();
            }
            (component, _) => components.push(component),
        }
    }
    match (is_rooted, components.join("/")) {
        (true, rest) => format!("/{rest}"),
        (false, rest) if rest.is_empty() => ".".to_owned(),
        (false, rest) => rest,
    }
}

/// Joins the elements that are not empty with slashes and cleans the result, which also collapses
/// the slashes of `https://`. Without elements the result is empty.
pub fn join(elements: &[&str]) -> String {
    let present: Vec<&str> =
        elements.iter().copied().filter(|element| !element.is_empty()).collect();
    if present.is_empty() { String::new() } else { clean(&present.join("/")) }
}

/// Whether `path` is `base` or lies beneath it, by components after cleaning both.
pub fn is_within(base: &str, path: &str) -> bool {
    let (base, path) = (clean(base), clean(path));
    if base.starts_with('/') != path.starts_with('/') {
        return false;
    }
    let mut remaining = components(&path);
    for expected in components(&base) {
        if remaining.next() != Some(expected) {
            return false;
        }
    }
    remaining.next() != Some("..")
}

fn components(cleaned: &str) -> impl Iterator<Item = &str> {
    cleaned.split('/').filter(|component| !matches!(*component, "" | "."))
}

#[cfg(test)]
mod tests {
    use super::{clean, is_within, join};

    #[test]
    fn cleaning_resolves_what_it_can() {
        for (path, cleaned) in [
            ("", "."),
            ("a//b/", "a/b"),
            ("./a/../../b", "../b"),
            ("/../a", "/a"),
            ("/", "/"),
            ("https://charts.example.com/", "https:/charts.example.com"),
        ] {
            assert_eq!(clean(path), cleaned);
        }
    }

    #[test]
    fn joining_skips_empty_elements() {
        assert_eq!(join(&["", "a", "", "b/"]), "a/b");
        assert_eq!(join(&["", ""]), "");
    }

    #[test]
    fn a_base_holds_itself_and_what_is_beneath() {
        for (base, path) in
            [("a", "a"), ("a/", "./a/b"), ("", "a"), (".", "a/b"), ("/", "/a"), ("..", "../a")]
        {
            assert!(is_within(base, path), "{base} {path}");
        }
        for (base, path) in [
            ("a", "ab/c"),
            ("a", "../a"),
            (".", "../a"),
            ("/a", "a"),
            ("..", "../../a"),
            ("a/b", "a"),
        ] {
            assert!(!is_within(base, path), "{base} {path}");
        }
    }

    #[test]
    fn dots_inside_a_name_are_just_a_name() {
        assert!(is_within("a", "a/b..c"));
        assert!(is_within(".", "..hidden/x"));
    }
}
