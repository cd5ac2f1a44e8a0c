use std::{collections::BTreeMap, sync::Arc};

use k8s_openapi::api::core::v1::Secret;
use proptest::prelude::*;
use serde_json::json;

use super::{Address, Book, Entry, Unusable};
use crate::Kind;

fn secret(name: &str, kind: &str, data: &[(&str, &str)]) -> Secret {
    let data: BTreeMap<_, _> = data.iter().map(|(key, value)| (*key, encode(value))).collect();
    serde_json::from_value(json!({
        "metadata": {"name": name, "namespace": "p", "labels": {"kargo.akuity.io/cred-type": kind}},
        "data": data,
    }))
    .unwrap()
}

fn encode(text: &str) -> String {
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    STANDARD.encode(text)
}

fn exact(name: &str, kind: &str, url: &str) -> Secret {
    secret(name, kind, &[("repoURL", url)])
}

fn pattern(name: &str, kind: &str, url: &str) -> Secret {
    secret(name, kind, &[("repoURL", url), ("repoURLIsRegex", "true")])
}

fn names(entries: &[Arc<Entry>]) -> Vec<&str> {
    entries.iter().map(|entry| entry.name.as_str()).collect()
}

#[test]
fn a_secret_matches_by_kind_and_by_the_normal_form_of_its_kind() {
    let table = [
        (Kind::Git, "https://github.com/Org/App.git", "https://github.com/org/app", true),
        (Kind::Git, "https://u:p@github.com/org/app/", "https://github.com/org/app", true),
        (Kind::Git, "git@github.com:org/app.git", "ssh://git@github.com/org/app", true),
        (Kind::Git, "https://github.com/org", "https://github.com/org/app", false),
        (Kind::Image, "docker.io/library/busybox", "busybox:1", true),
        (Kind::Image, "registry:5000/a", "registry:5000/a", true),
        (Kind::Image, "registry:5000/a", "registry:5000/b", false),
        (Kind::Helm, "oci://ghcr.io/a/chart", "ghcr.io/a/chart", true),
        (Kind::Helm, "https://charts.example.com", "https://charts.example.com", true),
    ];
    for (kind, of_secret, wanted, matches) in table {
        let book = Book::of(&[exact("s", &kind.to_string(), of_secret)]);
        let found = book.candidates(&Address::new(kind, wanted));
        assert_eq!(!found.is_empty(), matches, "{kind} {of_secret} for {wanted}");
    }
    let book = Book::of(&[exact("s", "git", "ghcr.io/a/b"), exact("g", "generic", "ghcr.io/a/b")]);
    assert!(book.candidates(&Address::new(Kind::Image, "ghcr.io/a/b")).is_empty());
}

#[test]
fn an_expression_finds_the_raw_or_the_normal_form_anywhere_unless_it_is_anchored() {
    let table = [
        ("^https://github\\.com/org/", "https://GitHub.com/org/app.git", true),
        ("GitHub", "https://GitHub.com/org/app.git", true),
        ("org/app$", "https://github.com/org/app.git", true),
        ("app\\.git$", "https://github.com/org/app.git", true),
        ("^github", "https://github.com/org/app", false),
    ];
    for (expression, url, matches) in table {
        let book = Book::of(&[pattern("s", "git", expression)]);
        let found = book.candidates(&Address::new(Kind::Git, url));
        assert_eq!(!found.is_empty(), matches, "{expression} for {url}");
    }
}

#[test]
fn an_exact_secret_comes_before_an_expression_whatever_their_names() {
    let book = Book::of(&[
        pattern("a", "git", "github"),
        exact("z", "git", "https://github.com/org/app"),
        exact("y", "git", "https://github.com/org/app.git"),
        pattern("b", "git", "org"),
        pattern("c", "git", "other"),
    ]);
    let found = book.candidates(&Address::new(Kind::Git, "https://github.com/org/app"));
    assert_eq!(names(&found), ["y", "z", "a", "b"]);
}

#[test]
fn only_the_word_true_makes_an_expression() {
    for value in ["True", "1", "yes", " true", ""] {
        let data = [("repoURL", "https://a.b/.*"), ("repoURLIsRegex", value)];
        let book = Book::of(&[secret("s", "git", &data)]);
        assert!(book.candidates(&Address::new(Kind::Git, "https://a.b/c")).is_empty(), "{value:?}");
    }
}

#[test]
fn what_cannot_be_used_says_why_and_hides_nothing_else() {
    let why = |secret: &Secret| Entry::read(secret).unwrap_err();
    assert_eq!(why(&exact("s", "generic", "https://a.b/c")), Unusable::Kind);
    assert_eq!(why(&secret("s", "git", &[("username", "u")])), Unusable::Address);
    assert!(matches!(why(&pattern("s", "git", "(")), Unusable::Pattern(_)));
    let book = Book::of(&[pattern("a", "git", "("), exact("b", "git", "https://a.b/c")]);
    assert_eq!(names(&book.candidates(&Address::new(Kind::Git, "https://a.b/c"))), ["b"]);
}

#[test]
fn plain_http_is_seen_through_blanks_and_case() {
    for url in ["http://a/b", "HTTP://a/b", "  hTTp://a/b", "\u{feff}http://a/b", "ht\ttp://a/b"] {
        assert!(Address::new(Kind::Git, url).is_plain_http(), "{url:?}");
    }
    for url in ["https://a/b", "ssh://a/b", "git@a:b", "a/http://b", "ghcr.io/a", "", "htt"] {
        assert!(!Address::new(Kind::Git, url).is_plain_http(), "{url:?}");
    }
}

#[test]
fn neither_an_entry_nor_an_address_shows_a_secret() {
    let data = [("repoURL", "https://a.b/c"), ("username", "u"), ("password", "hunter2")];
    let entry = Entry::read(&secret("s", "git", &data)).unwrap();
    assert!(!format!("{entry:?}").contains("hunter2"));
    let table = [
        ("https://u:hunter2@a.b/c", "https://a.b/c"),
        ("https://hunter2@a.b/c@d", "https://a.b/c@d"),
        ("https://a.b/c?token=hunter2", "https://a.b/c"),
        ("https://u:hunter2@a.b?x", "https://a.b"),
        ("git@a.b:c", "a.b:c"),
        ("u:hunter2@a.b:c", "a.b:c"),
        ("ghcr.io/a", "ghcr.io/a"),
    ];
    for (url, shown) in table {
        assert_eq!(Address::new(Kind::Git, url).shown(), shown);
    }
}

proptest! {
    #[test]
    fn a_book_finds_after_any_changes_what_a_scan_finds(
        changes in prop::collection::vec((0u8..5, prop::option::of((0u8..3, any::<bool>()))), 0..40),
        wanted in 0u8..3,
    ) {
        let mut book = Book::default();
        let mut there: BTreeMap<String, Secret> = BTreeMap::new();
        for (name, change) in changes {
            let name = name.to_string();
            if change.is_none() {
                book.remove(&name);
                there.remove(&name);
            }
            let Some((repo, is_pattern)) = change else { continue };
            let url = format!("https://a.b/{repo}");
            let new = if is_pattern { pattern(&name, "git", &url) } else { exact(&name, "git", &url) };
            book.put(&new);
            there.insert(name, new);
        }
        let address = Address::new(Kind::Git, &format!("https://a.b/{wanted}"));
        let mut scanned: Vec<_> = there.values().map(|secret| Entry::read(secret).unwrap())
            .filter(|entry| entry.matches(&address)).collect();
        scanned.sort_by_key(|entry| (matches!(entry.target, super::entry::Target::Pattern(_)), entry.name.clone()));
        let found = book.candidates(&address);
        let scanned: Vec<_> = scanned.iter().map(|entry| entry.name.as_str()).collect();
        prop_assert_eq!(names(&found), scanned);
    }

    #[test]
    fn what_stands_before_an_at_sign_is_never_shown(
        url in "[a-z]{1,5}://[a-z:]{0,9}hunter2@[a-z./@?#]{0,20}"
    ) {
        prop_assert!(!Address::new(Kind::Git, &url).shown().contains("hunter2"));
    }

    #[test]
    fn no_text_makes_an_address_panic(url in any::<String>()) {
        for kind in [Kind::Git, Kind::Helm, Kind::Image] {
            let address = Address::new(kind, &url);
            prop_assert!(address.shown().len() <= 4 * 256);
            address.is_plain_http();
        }
    }
}
