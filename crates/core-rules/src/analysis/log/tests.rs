use api_analysis::AnalysisRun;
use core_clock::Time;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::credential::Secret;

fn job(name: &str, containers: &[&str]) -> Value {
    let containers: Vec<Value> = containers.iter().map(|name| json!({ "name": name })).collect();
    json!({"name": name, "provider": {"job": {"spec": {"template": {"spec": {"containers": containers}}}}}})
}

fn run(metrics: Value) -> AnalysisRun {
    let measured = |name: &str| {
        let metadata = json!({"job-namespace": "jobs", "job-name": format!("job-{name}")});
        json!({"name": name, "phase": "Running", "measurements": [{"phase": "Running", "metadata": metadata}]})
    };
    serde_json::from_value(json!({
        "metadata": {"name": "r", "namespace": "demo", "labels": {"kargo.akuity.io/stage": "short"}},
        "spec": {"metrics": metrics},
        "status": {"phase": "Running", "metricResults": [measured("a"), measured("b")]},
    }))
    .unwrap()
}

fn refused(metrics: Value, metric: &str, container: &str) -> u16 {
    subject(&run(metrics), metric, container).unwrap_err().class().code()
}

#[test]
fn what_is_not_named_is_found_when_there_is_only_one() {
    let web = json!({"name": "w", "provider": {"web": {"url": "x"}}});
    let found = subject(&run(json!([web, job("a", &["main"])])), "", "").unwrap();
    assert_eq!((found.metric.as_str(), found.container.as_str()), ("a", "main"));
    assert_eq!((found.job_namespace.as_str(), found.job_name.as_str()), ("jobs", "job-a"));
    let two = json!([job("a", &["main"]), job("b", &["x", "y"])]);
    let found = subject(&run(two.clone()), "b", "y").unwrap();
    assert_eq!((found.metric.as_str(), found.container.as_str()), ("b", "y"));
    assert_eq!(refused(two.clone(), "", ""), 400, "several metrics");
    assert_eq!(refused(two.clone(), "b", ""), 400, "several containers");
    assert_eq!(refused(two.clone(), "c", ""), 404);
    assert_eq!(refused(two, "b", "z"), 404);
    assert_eq!(refused(json!([web]), "w", ""), 404, "not measured by a Job");
    assert_eq!(refused(json!([web]), "", ""), 404);
    assert_eq!(refused(json!([job("a", &[])]), "", ""), 404);
    assert_eq!(refused(json!([job("unmeasured", &["main"])]), "", ""), 404);
}

#[test]
fn the_annotation_names_the_stage_before_the_label() {
    let mut run = run(json!([]));
    assert_eq!(stage_of(&run), Ok("short"));
    let annotations = [("kargo.akuity.io/stage".to_owned(), "long".to_owned())];
    run.metadata.annotations = Some(annotations.into());
    assert_eq!(stage_of(&run), Ok("long"));
    run.metadata.annotations = None;
    run.metadata.labels = None;
    assert_eq!(stage_of(&run).unwrap_err().class().code(), 404);
    let missing = RunNotFound { name: "r".into(), namespace: "demo".into() };
    assert_eq!(missing.to_string(), r#"AnalysisRun "r" in namespace "demo" not found"#);
}

fn addressed(url: &str, headers: &str, token: &str) -> Result<LogAddress, LogError> {
    let run = run(json!([job("a", &["main"])]));
    let subject = subject(&run, "", "").unwrap();
    let headers = headers.parse().unwrap();
    let settings = LogSettings { url: url.to_owned(), headers, token: Secret::new(token) };
    address(&settings, &run, &subject, "eu", Time::default())
}

#[test]
fn the_address_is_a_template() {
    let url = "https://logs/${{ project }}/${{ shard }}/${{ stage }}/${{ analysisRun }}/\
               ${{ metricName }}/${{ jobNamespace }}/${{ jobName }}/${{ container }}";
    let headers = "Authorization = Bearer ${{ token }}, X-Name=a=b";
    let found = addressed(url, headers, "12345").unwrap();
    assert_eq!(found.url, "https://logs/demo/eu/short/r/a/jobs/job-a/main");
    let shown: Vec<(&str, &str)> =
        found.headers.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
    assert_eq!(shown, [("Authorization", "Bearer 12345"), ("X-Name", "a=b")]);
    assert!(!format!("{found:?}").contains("12345"));
    let refusal = addressed("", "", "").unwrap_err();
    assert_eq!(refusal.class().code(), 501);
    assert_eq!(refusal.to_string(), "AnalysisRun log streaming is not configured");
    for url in ["${{ token }}", "${{ 1 +", "${{ nil }}"] {
        assert_eq!(addressed(url, "", "t").unwrap_err().class().code(), 502, "{url}");
    }
    assert!("a".parse::<Headers>().is_err() && "=b".parse::<Headers>().is_err());
    assert_eq!(LogError::Keeper { status: 404 }.class().code(), 502);
}

#[test]
fn words_of_users_stay_where_the_template_puts_them() {
    let templates = LogSettings {
        url: "https://logs/${{ metricName }}/log?job=${{ jobName }}".to_owned(),
        headers: "X-Metric=${{ metricName }}".parse().unwrap(),
        token: Secret::default(),
    };
    let addressed = |metric: &str| {
        let run = run(json!([job("a", &["main"])]));
        let subject = LogSubject { metric: metric.to_owned(), ..subject(&run, "", "").unwrap() };
        address(&templates, &run, &subject, "", Time::default())
    };
    for (metric, part) in [
        ("success-rate_1.0", "success-rate_1.0"),
        ("../../admin", "..%2F..%2Fadmin"),
        ("x@evil.example", "x%40evil.example"),
        ("a?b#c%2f", "a%3Fb%23c%252f"),
        ("é é", "%C3%A9%20%C3%A9"),
    ] {
        let found = addressed(metric).unwrap();
        assert_eq!(found.url, format!("https://logs/{part}/log?job=job-a"));
        assert_eq!(found.headers[0].1.expose(), metric);
    }
    for metric in [".", ".."] {
        assert_eq!(addressed(metric).unwrap_err().class().code(), 502, "{metric}");
    }
}

fn decoded(content_type: &str, bytes: &[u8], piece: usize) -> String {
    let mut decoder = Decoder::new(content_type);
    let mut text = String::new();
    for piece in bytes.chunks(piece.max(1)) {
        text.push_str(&decoder.push(piece));
    }
    text + &decoder.finish()
}

#[test]
fn character_sets_are_named_or_guessed() {
    for (content_type, bytes, text) in [
        ("text/plain; charset=ISO-8859-1", &b"\xe9t\xe9"[..], "été"),
        ("text/plain; charset=\"utf-8\"", "été".as_bytes(), "été"),
        ("text/plain", "été".as_bytes(), "été"),
        ("text/plain; charset=utf-16", b"\x00a\x00b", "ab"),
        ("text/plain; charset=utf-16", b"\xff\xfea\x00b\x00", "ab"),
        ("text/plain; charset=utf-16be", b"\xfe\xff\x00a\x00b", "ab"),
        ("text/plain; charset=utf-16le", b"a\x00b\x00", "ab"),
        ("", b"\xfe\xff\x00a", "a"),
        ("", b"\xff\xfea\x00", "a"),
        ("text/plain; charset=utf-16be", b"\xd8\x3d\xde\x00", "\u{1f600}"),
        ("", b"", ""),
        ("", b"a", "a"),
        ("", b"a\xffb\xe2\x82", "a\u{fffd}b\u{fffd}"),
        ("text/plain; charset=utf-16be", b"\x00a\xd8\x3d", "a\u{fffd}"),
        ("text/plain; charset=utf-16be", b"\x00a\x00", "a\u{fffd}"),
    ] {
        for piece in 1..=bytes.len().max(1) {
            assert_eq!(decoded(content_type, bytes, piece), text, "{content_type} {piece}");
        }
    }
}

#[test]
fn a_stream_tells_its_end_and_its_errors() {
    assert_eq!(frames("a\nb\r\n"), ["data: a\ndata: b\ndata: \n\n"]);
    assert!(frames("").is_empty());
    assert_eq!(END, "event: end\ndata:\n\n");
    let error = error_frame("a\nb");
    assert_eq!(error, "event: error\ndata: {\"code\":\"unknown\",\"message\":\"a\\nb\"}\n\n");
}

fn read_back(frames: &[String]) -> String {
    let data = |frame: &String| {
        let lines = frame.strip_suffix("\n\n").unwrap().split('\n');
        lines.map(|line| line.strip_prefix("data: ").unwrap()).collect::<Vec<_>>().join("\n")
    };
    frames.iter().map(data).collect()
}

proptest! {
    #[test]
    fn events_give_the_log_again(text in "[a-zé\u{1f600}\n]{0,60}", repeat in 1_usize..200) {
        let log = text.repeat(repeat);
        prop_assert_eq!(read_back(&frames(&log)), log);
    }

    #[test]
    fn pieces_do_not_matter(
        bytes in prop::collection::vec(any::<u8>(), 0..80),
        piece in 1_usize..9,
        charset in prop::sample::select(vec!["", "utf-8", "utf-16", "utf-16le", "iso-8859-1"]),
    ) {
        let content_type = format!("text/plain; charset={charset}");
        let whole = decoded(&content_type, &bytes, bytes.len());
        prop_assert_eq!(decoded(&content_type, &bytes, piece), whole);
    }
}
