use proptest::prelude::*;

use super::{Uri, UriError, normalize_chart, normalize_git, normalize_image, sanitize};

#[test]
fn invisible_characters_vanish_and_inner_spaces_stay() {
    assert_eq!(sanitize("\u{feff} a\tb\u{200b} c\u{a0}\n"), "ab c");
}

#[test]
fn git_addresses_lose_case_user_suffix_and_slash() {
    for (address, normal) in [
        ("https://foo:bar@GitHub.com/Example/Repo.git/", "https://github.com/example/repo"),
        ("https://github.com/", "https://github.com"),
        ("https://github.com/a/b.git//", "https://github.com/a/b.git/"),
        ("ssh://git@github.com:22/a/b.git", "ssh://git@github.com:22/a/b"),
        ("git@github.com:example/repo.git/", "ssh://git@github.com/example/repo"),
        ("git@host:/abs/p.git", "ssh://git@host//abs/p"),
        ("git.example.com", "ssh://git.example.com"),
        ("https://github.com/acme/日本.git", "https://github.com/acme/%E6%97%A5%E6%9C%AC"),
        ("https://github.com/a/b%2fc.git", "https://github.com/a/b/c"),
        ("https://", "https:"),
    ] {
        assert_eq!(normalize_git(address), normal);
    }
}

#[test]
fn what_has_no_normal_form_comes_back_as_it_was() {
    for address in ["http://GitHub.com/a/b?x=y", "https://Not a url", "/Local/path", "A/b", ""] {
        assert_eq!(normalize_git(address), address);
    }
    assert_eq!(normalize_image("Invalid url"), "Invalid url");
    assert_eq!(normalize_image("GHCR.io/a/b:"), "GHCR.io/a/b:");
    assert_eq!(normalize_chart("https://Not a url"), "https://Not a url");
}

#[test]
fn docker_hub_has_many_names() {
    for address in [
        "busybox",
        "library/busybox:1",
        "docker.io/library/BusyBox",
        "index.docker.io/busybox",
        "registry-1.docker.io/busybox",
    ] {
        assert_eq!(normalize_image(address), "busybox");
    }
    assert_eq!(normalize_image("my-registry.io:5000/image"), "my-registry.io:5000/image");
    assert_eq!(normalize_image("localhost"), "localhost");
}

#[test]
fn charts_are_normalised_like_images() {
    for (address, normal) in [
        ("OCI://Repo", "repo"),
        ("oci://registry-1.docker.io/example/repo", "example/repo"),
        ("https://Charts.example.com/", "https://charts.example.com/"),
        ("https://charts.example.com:8443", "https://charts.example.com"),
        ("https://charts.example.com:8443/x", "https://charts.example.com:8443/x"),
    ] {
        assert_eq!(normalize_chart(address), normal);
    }
}

#[test]
fn addresses_are_refused_for_a_reason() {
    for (address, error) in [
        ("://bad", UriError::MissingScheme),
        ("a_b:c", UriError::ColonInFirstSegment),
        ("https://a b/", UriError::Host),
        ("https://a:b/", UriError::Port),
        ("https://a:1:2/", UriError::Port),
        ("https://[::1/", UriError::Host),
        ("https://[1.2.3.4]/", UriError::Host),
        ("https://a/%zz", UriError::Escape),
        ("https://a{@b/", UriError::User),
        ("https://a/\u{7f}", UriError::ControlCharacter),
    ] {
        assert_eq!(Uri::parse(address), Err(error), "{address}");
    }
}

#[test]
fn addresses_print_as_they_were_written() {
    for address in [
        "https://user:p%40ss@[fe80::1%25en0]:80/a%2Fb?q#frag!",
        "mailto:a@b",
        "file:/etc/passwd",
        "file:///etc/passwd",
        "//host/path",
        "a/b:c",
        "?",
    ] {
        assert_eq!(Uri::parse(address).unwrap().to_string(), address);
    }
}

#[test]
fn joining_cleans_the_path() {
    let joined = |base: &str| Uri::parse(base).unwrap().joined(&["a", "b"]).unwrap().to_string();
    assert_eq!(joined(""), "/a/b");
    assert_eq!(joined("https://x.io"), "https://x.io/a/b");
    assert_eq!(joined("https://x.io/h//?q"), "https://x.io/h/a/b?q");
}

proptest! {
    #[test]
    fn normalising_never_panics(
        address in prop_oneof![any::<String>(), "[a-bA-B0-1:/@.%?#\\[\\] ~é-]{0,24}"],
    ) {
        normalize_git(&address);
        normalize_image(&address);
        normalize_chart(&address);
    }

    #[test]
    fn a_printed_address_parses_to_itself(address in "[a-b0-1:/@.%?#~é-]{0,24}") {
        if let Ok(uri) = Uri::parse(&address) {
            let printed = uri.to_string();
            if let Ok(again) = Uri::parse(&printed) {
                prop_assert_eq!(again.to_string(), printed);
            }
        }
    }

    #[test]
    fn the_normal_form_of_a_usual_git_address_is_its_own(
        address in "(https?://|ssh://git@|git@)[A-Ca-c]{1,5}\\.io(:[0-9]{1,4})?/[A-Za-z]{1,6}(/[A-Za-z_-]{1,6}){0,2}(\\.git)?/?",
    ) {
        let normal = normalize_git(&address);
        prop_assert_eq!(normalize_git(&normal), normal);
    }

    #[test]
    fn the_normal_form_of_a_usual_image_is_its_own(
        address in "((docker|index\\.docker|GHCR)\\.io/)?[A-Ca-c]{2,5}(/[a-z_-]{2,6}){0,2}(:[a-z0-9]{1,4})?",
    ) {
        let normal = normalize_image(&address);
        prop_assert_eq!(&normalize_image(&normal), &normal);
    }
}
