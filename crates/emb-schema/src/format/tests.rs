use proptest::prelude::*;

use super::*;

fn admits(name: &str, text: &str) -> bool {
    FormatName::parse(Types::One(JsonType::String), name).unwrap().admits(text)
}

#[test]
fn each_format_admits_its_own_and_refuses_others() {
    let cases: &[(&str, &[&str], &[&str])] = &[
        (
            "date-time",
            &["2024-02-29T23:59:59Z", "2024-01-01t00:00:00.123456+05:30"],
            &["x", "", "2023-02-29T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00"],
        ),
        ("date", &["2024-12-31"], &["2024-13-01", "2024-1-1", "2024-12-31T00:00:00Z"]),
        (
            "duration",
            &["5m0s", "1.5h", "-3ms", "0", "22 ns", "2 days", "1 Hour 3 minutes"],
            &["", "5", "x", "1 fortnight", "."],
        ),
        ("email", &["a@b", "a.b+c@d.example", "Ann <a@b.c>"], &["a", "@b", "a@", "a b@c", "a@b>"]),
        ("uri", &["https://a/b?c", "/path", "urn:x:y"], &["", "a/b", "http://a/%zz"]),
        ("hostname", &["a", "a-b.example"], &["", "-a", "a..b", "a.b1"]),
        ("ipv4", &["10.0.0.1", "010.0.0.00"], &["10.0.0", "::1", "10..0.1", "10.0.0.256"]),
        ("ipv6", &["::1"], &["10.0.0.1", ":"]),
        ("cidr", &["10.0.0.0/8", "::/0"], &["10.0.0.0", "10.0.0.0/33", "10.0.0.0/+8"]),
        ("mac", &["01:23:45:67:89:ab", "0123.4567.89ab"], &["01:23", "01:23:45:67:89:ag"]),
        (
            "uuid",
            &["123E4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000"],
            &["123e4567", "é"],
        ),
        (
            "uuid4",
            &["123e4567-e89b-42d3-a456-426614174000"],
            &["123e4567-e89b-12d3-a456-426614174000"],
        ),
        ("isbn", &["0321751043", "978-0321751041"], &["0321751044", "x"]),
        ("creditcard", &["4111 1111 1111 1111"], &["4111 1111 1111 1112", "1"]),
        ("ssn", &["111-11-1111", "111111111"], &["111-11-111", "a11-11-1111"]),
        ("hexcolor", &["#FFF", "a0b1c2"], &["#FF", "#GGG"]),
        ("rgbcolor", &["rgb(255, 0,1)"], &["rgb(256,0,0)", "rgb(1,2)"]),
        ("byte", &["YQ==", "YWJj"], &["", "YQ=", "Y@=="]),
        ("bsonobjectid", &["507f1f77bcf86cd799439011"], &["507f"]),
        ("k8s-short-name", &["a-b"], &["a.b", "A", "-a"]),
        ("k8s-long-name", &["a-b.c"], &["a..b", "A"]),
        ("password", &["", "x"], &[]),
    ];
    for (name, good, bad) in cases {
        for text in *good {
            assert!(admits(name, text), "{name} should admit {text:?}");
        }
        for text in *bad {
            assert!(!admits(name, text), "{name} should refuse {text:?}");
        }
    }
}

#[test]
fn a_format_is_known_only_on_its_types() {
    let integer = Types::One(JsonType::Integer);
    assert_eq!(FormatName::parse(integer, "int32"), Some(FormatName::Int32));
    assert_eq!(FormatName::parse(integer, "date"), None);
    assert_eq!(FormatName::parse(Types::One(JsonType::String), "int32"), None);
    assert_eq!(FormatName::parse(Types::One(JsonType::Object), "date"), None);
    assert_eq!(FormatName::parse(Types::Any, "weird"), None);
}

proptest! {
    #[test]
    fn no_text_upsets_a_format(text in "\\PC{0,24}") {
        for name in ["date-time", "duration", "email", "uri", "hostname", "cidr", "mac", "uuid4",
            "isbn", "creditcard", "ssn", "rgbcolor", "byte", "k8s-long-name"] {
            admits(name, &text);
        }
    }
}
