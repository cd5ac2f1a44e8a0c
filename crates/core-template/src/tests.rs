use core_clock::Time;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Error, MAX_OUTPUT, MAX_TEMPLATE, render};

fn now() -> Time {
    "2026-03-04T05:06:07Z".parse().unwrap()
}

fn stage() -> Value {
    json!({"stage": {
        "metadata": {"name": "prod", "namespace": "demo", "generation": 12_345_678,
            "labels": {"team": "a b/c"}, "creationTimestamp": "2026-01-02T03:04:05Z"},
        "spec": {"requestedFreight": [{"origin": {"name": "w"}}, {"origin": {"name": "v"}}]},
    }})
}

fn rendered(text: &str) -> String {
    render(text, &stage(), now()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn the_language_is_that_of_go() {
    for (text, expected) in [
        ("https://x/{{ .stage.metadata.name }}", "https://x/prod"),
        ("{{ .stage.metadata.generation }}", "12345678"),
        ("{{ .stage.absent }}", "<no value>"),
        ("{{ with .stage.metadata }}{{ .name }}{{ end }}", "prod"),
        ("{{ if eq .stage.metadata.name \"prod\" }}a{{ else }}b{{ end }}", "a"),
        (
            "{{ range $i, $r := .stage.spec.requestedFreight }}{{ $i }}{{ $r.origin.name }}{{ end }}",
            "0w1v",
        ),
        ("{{ define \"t\" }}<{{ . }}>{{ end }}{{ template \"t\" 5 }}", "<5>"),
        ("{{ index .stage.metadata.labels \"team\" | urlquery }}", "a+b%2Fc"),
        ("{{ printf \"%s-%03d\" .stage.metadata.name 7 }}", "prod-007"),
        ("{{ print 1 2 \"x\" }}", "1 2x"),
        ("a{{- /* note */ -}} b", "ab"),
        ("{{ and 1 0 }}{{ or 0 2 }}{{ not true }}{{ len \"abc\" }}", "02false3"),
    ] {
        assert_eq!(rendered(text), expected, "{text}");
    }
}

/// Templates and what they make.
const CALLS: &[(&str, &str)] = &[
    ("{{ \" a \" | trim | upper }}", "A"),
    (
        "{{ trimPrefix \"v\" \"v1\" }}{{ trimSuffix \"-x\" \"a-x\" }}{{ trimAll \"$\" \"$5$\" }}",
        "1a5",
    ),
    ("{{ replace \"-\" \"_\" \"a-b\" }}{{ repeat 3 \"x\" }}", "a_bxxx"),
    ("{{ trunc 3 \"abcdef\" }}{{ trunc -2 \"abcdef\" }}{{ substr 1 3 \"abcdef\" }}", "abcefbc"),
    ("{{ abbrev 5 \"hello world\" }}|{{ abbrevboth 5 10 \"1234 5678 9123\" }}", "he...|...5678..."),
    ("{{ title \"ab cd\" }}{{ untitle \"Ab\" }}{{ swapcase \"aB\" }}", "Ab CdabAb"),
    (
        "{{ snakecase \"FirstName x\" }}{{ camelcase \"http_server\" }}{{ kebabcase \"FirstName\" }}",
        "first_name_xHttpServerfirst-name",
    ),
    ("{{ quote \"a\\\"b\" 5 }}{{ squote \"x\" }}{{ cat \"a\" 1 }}", "\"a\\\"b\" \"5\"'x'a 1"),
    ("{{ indent 2 \"a\\nb\" }}", "  a\n  b"),
    ("{{ nindent 1 \"a\" }}", "\n a"),
    (
        "{{ plural \"one\" \"many\" 2 }}{{ initials \"First Try\" }}{{ nospace \"a b\" }}",
        "manyFTab",
    ),
    (
        "{{ (split \"/\" \"a/b\")._1 }}{{ splitList \",\" \"a,b\" | join \"+\" }}{{ (splitn \"/\" 2 \"a/b/c\")._1 }}",
        "ba+bb/c",
    ),
    ("{{ wrap 5 \"ab cd ef\" }}", "ab cd\nef"),
    (
        "{{ add 1 2 3 }}{{ sub 5 3 }}{{ mul 2 3 }}{{ div 7 2 }}{{ mod 7 2 }}{{ max 1 5 2 }}{{ min 4 2 }}",
        "6263152",
    ),
    ("{{ round 3.14159 2 }} {{ ceil 1.2 }} {{ floor 1.8 }} {{ addf 0.5 1 }}", "3.14 2 1 1.5"),
    ("{{ until 3 }}{{ untilStep 3 9 3 }}{{ seq 2 5 }}", "[0 1 2][3 6]2 3 4 5"),
    ("{{ int \"7\" }}{{ atoi \"x\" }}{{ toDecimal \"0777\" }}", "70511"),
    ("{{ default \"a\" \"\" }}{{ default \"a\" \"b\" }}{{ coalesce 0 \"\" \"c\" }}", "abc"),
    ("{{ ternary \"y\" \"n\" true }}{{ empty \"\" }}{{ any 0 1 }}{{ all 0 1 }}", "ytruetruefalse"),
    (
        "{{ list 3 1 1 | uniq | reverse | join \",\" }}{{ first (list 1 2) }}{{ last (list 1 2) }}",
        "1,312",
    ),
    (
        "{{ rest (list 1 2 3) }}{{ initial (list 1 2 3) }}{{ append (list 1) 2 }}{{ prepend (list 1) 0 }}",
        "[2 3][1 2][1 2][0 1]",
    ),
    (
        "{{ without (list 1 2) 1 }}{{ has 1 (list 1) }}{{ compact (list 0 1) }}{{ concat (list 1) (list 2) }}",
        "[2]true[1][1 2]",
    ),
    (
        "{{ slice (list 1 2 3) 1 2 }}{{ chunk 2 (list 1 2 3) }}{{ sortAlpha (list \"b\" \"a\") }}",
        "[2][[1 2] [3]][a b]",
    ),
    (
        "{{ $d := dict \"a\" 1 \"b\" 2 }}{{ get $d \"a\" }}{{ hasKey $d \"c\" }}{{ keys $d }}{{ values $d }}",
        "1false[a b][1 2]",
    ),
    (
        "{{ $d := dict \"a\" 1 }}{{ set $d \"b\" 2 }}{{ pick $d \"a\" }}{{ omit $d \"a\" }}{{ pluck \"a\" $d $d }}",
        "map[a:1 b:2]map[a:1]map[][1 1]",
    ),
    (
        "{{ merge (dict \"a\" 1) (dict \"a\" 2 \"b\" 3) }}{{ mergeOverwrite (dict \"a\" 1) (dict \"a\" 2) }}",
        "map[a:1 b:3]map[a:2]",
    ),
    (
        "{{ dig \"metadata\" \"name\" \"none\" .stage }}{{ dig \"x\" \"y\" \"none\" .stage }}",
        "prodnone",
    ),
    (
        "{{ b64enc \"abc\" }}{{ b64dec \"YWJj\" }}{{ b32enc \"abc\" }}{{ b32dec \"MFRGG===\" }}",
        "YWJjabcMFRGG===abc",
    ),
    ("{{ sha1sum \"\" }}", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
    ("{{ sha256sum \"a\" | trunc 8 }}{{ adler32sum \"abc\" }}", "ca97811238600999"),
    (
        "{{ toJson (dict \"a\" \"<\") }}{{ toRawJson (list 1 \"<\") }}{{ (fromJson \"{\\\"a\\\":5}\").a }}",
        "{\"a\":\"\\u003c\"}[1,\"<\"]5",
    ),
    (
        "{{ kindOf \"x\" }}{{ kindIs \"map\" .stage }}{{ typeOf (list) }}",
        "stringtrue[]interface {}",
    ),
    (
        "{{ base \"a/b.c\" }}{{ dir \"a/b.c\" }}{{ ext \"a/b.c\" }}{{ clean \"a//b\" }}{{ isAbs \"/a\" }}",
        "b.ca.ca/btrue",
    ),
    ("{{ (semver \"v1.2.3-rc.1\").Minor }}{{ semverCompare \">=1.0.0\" \"1.2.3\" }}", "2true"),
    (
        "{{ regexMatch \"^a\" \"abc\" }}{{ regexFind \"[0-9]+\" \"a12b\" }}{{ regexFindAll \"[0-9]\" \"1a2\" -1 }}",
        "true12[1 2]",
    ),
    (
        "{{ regexReplaceAll \"a(x*)b\" \"-ab-axxb-\" \"${1}W\" }}{{ regexReplaceAllLiteral \"x\" \"axb\" \"$1\" }}{{ regexSplit \",\" \"a,b\" -1 }}",
        "-W-xxW-a$1b[a b]",
    ),
    (
        "{{ $u := urlParse \"https://u:p@h:8080/p?q=1#f\" }}{{ $u.hostname }}{{ $u.path }}{{ urlJoin $u }}",
        "h/phttps://u:p@h:8080/p?q=1#f",
    ),
    (
        "{{ now | date \"2006-01-02 15:04:05\" }}|{{ date \"Jan _2\" now }}|{{ htmlDate 0 }}",
        "2026-03-04 05:06:07|Mar  4|1970-01-01",
    ),
    (
        "{{ .stage.metadata.creationTimestamp | toDate \"2006-01-02T15:04:05Z07:00\" | unixEpoch }}",
        "1767323045",
    ),
    (
        "{{ now | dateModify \"-1h30m\" | date \"15:04\" }}{{ ago (sub now 61) }}{{ duration 3661 }}",
        "03:361m1s1h1m1s",
    ),
];

#[test]
fn functions_are_those_of_sprig() {
    for (text, expected) in CALLS {
        assert_eq!(rendered(text), *expected, "{text}");
    }
}

#[test]
fn what_reaches_outside_is_not_there() {
    for name in ["env", "expandenv", "getHostByName", "genPrivateKey", "randAlpha", "uuidv4"] {
        let error = render(&format!("{{{{ {name} \"HOME\" }}}}"), &stage(), now()).unwrap_err();
        assert!(matches!(error, Error::Parse(_)), "{name}: {error}");
    }
}

#[test]
fn bad_templates_and_failing_ones_are_told_apart() {
    for text in ["{{", "{{ if }}", "{{ end }}", "{{ \"a }}", "{{ range .x }}", "{{ . | }}"] {
        assert!(matches!(render(text, &stage(), now()), Err(Error::Parse(_))), "{text}");
    }
    for text in [
        "{{ fail \"no\" }}",
        "{{ div 1 0 }}",
        "{{ index .stage 1 2 }}",
        "{{ first 5 }}",
        "{{ mustFromJson \"{\" }}",
        "{{ upper }}",
    ] {
        assert!(matches!(render(text, &stage(), now()), Err(Error::Render(_))), "{text}");
    }
}

#[test]
fn work_and_output_are_bounded() {
    let doubling = "{{ $x := \"ab\" }}{{ range until 60 }}{{ $x = printf \"%s%s\" $x $x }}{{ end }}{{ len $x }}";
    let sharing = "{{ $x := list 1 }}{{ range until 60 }}{{ $x = list $x $x }}{{ end }}{{ $x }}";
    for text in [
        doubling,
        sharing,
        "{{ repeat 1000000000 \"x\" }}",
        "{{ until 1000000000 }}",
        "{{ range 1000000000 }}x{{ end }}",
        "{{ range until 9999 }}{{ range until 9999 }}x{{ end }}{{ end }}",
        "{{ range until 9000 }}0123456789{{ end }}",
        "{{ define \"t\" }}{{ template \"t\" . }}{{ end }}{{ template \"t\" . }}",
        "{{ range until 200 }}{{ $x := printf \"%65000d\" 1 }}{{ end }}",
        "{{ indent 1000000000 \"a\" }}",
        "{{ replace \"\" (repeat 1000 \"x\") (repeat 1000 \"y\") }}",
        "{{ regexReplaceAll \"\" (repeat 1000 \"y\") (repeat 1000 \"x\") }}",
        "{{ regexMatch \"(a{1000}){1000}\" \"a\" }}",
    ] {
        assert!(matches!(render(text, &stage(), now()), Err(Error::Render(_))), "{text}");
    }
    let long = "x".repeat(MAX_TEMPLATE + 1);
    assert!(matches!(render(&long, &stage(), now()), Err(Error::Parse(_))));
    let deep = format!("{{{{ {}1{} }}}}", "(".repeat(5000), ")".repeat(5000));
    assert!(render(&deep, &stage(), now()).is_err());
    assert!(rendered("{{ range until 6000 }}0123456789{{ end }}").len() < MAX_OUTPUT);
}

proptest! {
    #[test]
    fn any_text_renders_without_panic(text in "[{}.$|\"()a-e0-9 :=,-]{0,60}") {
        let _ = render(&text, &stage(), now());
    }

    #[test]
    fn any_call_ends(
        name in prop::sample::select(vec![
            "abbrev", "abbrevboth", "add", "b32dec", "chunk", "date", "dateModify", "dig", "div",
            "indent", "mod", "printf", "regexFind", "repeat", "round", "semver", "seq", "slice",
            "splitn", "substr", "trunc", "untilStep", "urlParse", "wrap",
        ]),
        arguments in prop::collection::vec(
            prop::sample::select(vec!["-1", "0", "3", "9223372036854775807", "1.5", "\"é(x\"", "\"\"", "\"%*d\"", "(list 1)", "(dict)", "nil"]),
            0..4,
        ),
    ) {
        let _ = render(&format!("{{{{ {name} {} }}}}", arguments.join(" ")), &stage(), now());
    }
}
