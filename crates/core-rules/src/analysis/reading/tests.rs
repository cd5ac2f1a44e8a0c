//! Answers of servers, and the verdicts on them.

use serde_json::json;

use super::*;

fn judged(reading: &Reading, success: &str, failure: &str) -> Result<AnalysisPhase, String> {
    let metric = Metric {
        success_condition: success.to_owned(),
        failure_condition: failure.to_owned(),
        ..Metric::default()
    };
    reading.judge(&metric, Timestamp::UNIX_EPOCH).map_err(|error| error.to_string())
}

fn web(body: &str, path: &str) -> Result<Reading, String> {
    let path = JsonPath::parse(path).unwrap();
    Reading::of_web(body.as_bytes(), &path).map_err(|error| error.to_string())
}

#[test]
fn conditions_decide_the_phase() {
    use AnalysisPhase::{Failed, Inconclusive, Successful};
    let rows = [
        ("", "", Successful),
        ("result == 5", "", Successful),
        ("result == 6", "", Failed),
        ("", "result == 5", Failed),
        ("", "result == 6", Successful),
        ("result == 5", "result == 6", Successful),
        ("result == 6", "result == 5", Failed),
        ("result == 5", "result == 5", Failed),
        ("result == 6", "result == 6", Inconclusive),
    ];
    let reading = web("5", "").unwrap();
    for (success, failure, expected) in rows {
        assert_eq!(judged(&reading, success, failure), Ok(expected), "{success} / {failure}");
    }
}

#[test]
fn conditions_without_an_answer_say_why() {
    let empty = Reading::of_prometheus(
        json!({"status": "success", "data": {"resultType": "vector", "result": []}})
            .to_string()
            .as_bytes(),
    );
    assert_eq!(
        judged(&empty.unwrap(), "result[0] > 1", "").unwrap_err(),
        "could not evaluate successCondition \"result[0] > 1\": metric result is nil or empty: \
         no data returned from the metric provider"
    );
    assert_eq!(
        judged(&web("5", "").unwrap(), "", "result").unwrap_err(),
        "could not evaluate failureCondition \"result\": expected bool, but got float64"
    );
}

#[test]
fn the_result_of_a_web_server_is_where_the_path_leads() {
    let body = r#"{"data": {"rate": 0.50, "count": 3.0, "name": "x"}}"#;
    let rows = [
        ("{$.data.rate}", "0.5"),
        ("{$.data.count}", "3"),
        ("{$.data.name}", "\"x\""),
        ("{$.data}", r#"{"count":3,"name":"x","rate":0.5}"#),
    ];
    for (path, expected) in rows {
        assert_eq!(web(body, path).unwrap().text, expected, "{path}");
    }
    assert_eq!(
        web(body, "{$.data.none}").unwrap_err(),
        "Could not find JSONPath in body: none is not found"
    );
    assert_eq!(web("[]", "{$[0:]}").unwrap_err(), "result of web metric produced no value");
    let plain = web("all good\n", "{$.x}").unwrap();
    assert_eq!(judged(&plain, "result contains 'good'", ""), Ok(AnalysisPhase::Successful));
}

#[test]
fn prometheus_answers_with_numbers() {
    let vector = |values: &[&str]| {
        let series: Vec<_> =
            values.iter().map(|v| json!({"metric": {}, "value": [1, v]})).collect();
        json!({"resultType": "vector", "result": series})
    };
    let rows = [
        (json!({"resultType": "scalar", "result": [1.5, "0.25"]}), "0.25", "result < 1"),
        (vector(&["1", "2.5"]), "[1,2.5]", "result[1] == 2.5"),
        (vector(&["NaN"]), "[NaN]", "isNaN(result[0])"),
        (vector(&["+Inf", "-Inf"]), "[+Inf,-Inf]", "isInf(result[0])"),
        (
            json!({"resultType": "matrix", "result": [
                {"values": [[1, "1"], [2, "2"]]}, {"values": [[1, "3"]]},
            ]}),
            "[1,2,3]",
            "len(result) == 3",
        ),
    ];
    for (data, text, condition) in rows {
        let body = json!({"status": "success", "data": data, "warnings": ["slow"]}).to_string();
        let reading = Reading::of_prometheus(body.as_bytes()).unwrap();
        assert_eq!(
            (reading.text.as_str(), reading.warnings.as_slice()),
            (text, &["slow".to_owned()][..])
        );
        assert_eq!(judged(&reading, condition, ""), Ok(AnalysisPhase::Successful), "{condition}");
    }
}

#[test]
fn what_is_no_number_is_an_error() {
    let rows = [
        (
            json!({"status": "error", "errorType": "bad_data", "error": "parse error"}),
            "bad_data: parse error",
        ),
        (
            json!({"status": "success", "data": {"resultType": "string", "result": [1, "x"]}}),
            "Prometheus metric type not supported",
        ),
        (json!({"hello": 1}), "the answer is not one of Prometheus: missing field `status`"),
    ];
    for (body, expected) in rows {
        let error = Reading::of_prometheus(body.to_string().as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    assert!(Reading::of_prometheus(b"<html>").is_err());
}

#[test]
fn output_is_json_or_text() {
    assert_eq!(Reading::of_output(b"{\"ok\":true}\n").text, r#"{"ok":true}"#);
    assert_eq!(Reading::of_output(b"done\n").text, "done");
    assert_eq!(Reading::of_output(b"").text, "");
}
