//! What the embedded engine says about itself, and what to do about it.

use serde_json::Value;

/// A watcher that is this many events behind does not read what it is sent.
const FAR_BEHIND: u64 = 1000;

/// A replica that is this many seconds behind does not keep up.
const FAR_BEHIND_SECONDS: u64 = 10;

/// One thing about the engine.
pub(super) struct Finding {
    pub(super) what: String,
    pub(super) text: String,
    /// What to do, if something is wrong.
    pub(super) advice: Option<&'static str>,
}

/// Everything that a report tells.
pub(super) fn findings(report: &Value) -> Vec<Finding> {
    let mut findings = vec![storage(report), history(report)];
    findings.extend(report.get("replica").map(replica));
    findings.extend(quarantined(report));
    findings.extend(items(report, "/resources").filter_map(slow_watcher));
    findings.extend(held(report));
    findings.extend(items(report, "/definitionsNotEstablished").map(definition));
    findings
}

fn storage(report: &Value) -> Finding {
    let resources = items(report, "/resources").filter(|resource| number(resource, "objects") > 0);
    let counts: Vec<u64> = resources.map(|resource| number(resource, "objects")).collect();
    let (objects, kinds) = (counts.iter().sum::<u64>(), counts.len());
    if report.get("writable") == Some(&Value::Bool(true)) {
        return good("engine", format!("takes writes; objects: {objects}, kinds: {kinds}"));
    }
    let problem = text(report, "problem");
    let text = format!("takes no writes ({problem}); objects: {objects}, kinds: {kinds}");
    bad("engine", text, "see to its disk; if it does not go on by itself then, start it again")
}

/// How far back whoever follows changes may go.
fn history(report: &Value) -> Finding {
    let floors = items(report, "/resources").map(|resource| number(resource, "historyFloor"));
    let text = format!(
        "revision {}, history back to {}, in memory back to {}",
        number(report, "revision"),
        number(report, "compactedRevision"),
        floors.max().unwrap_or_default(),
    );
    good("revisions", text)
}

/// How far the copy in object storage has come.
fn replica(replica: &Value) -> Finding {
    let (behind, problem) = (number(replica, "lagSeconds"), text(replica, "problem"));
    let far = match behind {
        0 if problem.is_empty() => "less than a second behind".to_owned(),
        _ => format!("{behind} s behind"),
    };
    let (place, revision) = (text(replica, "place"), number(replica, "revision"));
    let told = format!("{place} is {far}, at revision {revision}");
    if !problem.is_empty() {
        let advice = "what is newer is on the disk of this machine alone; see to the storage, the way there and what the account may do; it is tried again by itself";
        return bad("replica", format!("{told}: {problem}"), advice);
    }
    if behind >= FAR_BEHIND_SECONDS {
        let advice = "what is newer is on the disk of this machine alone; is the way to the storage too slow?";
        return bad("replica", told, advice);
    }
    good("replica", told)
}

fn quarantined(report: &Value) -> Option<Finding> {
    let count = number(report, "quarantinedObjects");
    let advice = "its log says at the start which; put them back from a backup, or save older states with `kargo repair`";
    (count > 0).then(|| bad("damaged objects", format!("{count} were set aside"), advice))
}

fn slow_watcher(resource: &Value) -> Option<Finding> {
    let behind = number(resource, "mostBehind");
    let what = format!("watchers of {}", text(resource, "resource"));
    let told = format!("the slowest of {} is {behind} events behind", number(resource, "watchers"));
    let advice =
        "a program does not read what it watches; it will be told to start over, and may be stuck";
    (behind >= FAR_BEHIND).then(|| bad(&what, told, advice))
}

fn held(report: &Value) -> Vec<Finding> {
    let advice = "whoever owns the finalizer must run; if it never will again, take it out with `kubectl patch`";
    let mut found: Vec<Finding> = items(report, "/heldObjects/first")
        .map(|object| {
            let names: Vec<&str> = items(object, "/finalizers").filter_map(Value::as_str).collect();
            let place = match text(object, "namespace") {
                "" => text(object, "name").to_owned(),
                namespace => format!("{namespace}/{}", text(object, "name")),
            };
            let told = format!("since {} held by {}", text(object, "since"), names.join(", "));
            bad(&format!("deletion of {} {place}", text(object, "resource")), told, advice)
        })
        .collect();
    let count = report.pointer("/heldObjects/count").and_then(Value::as_u64).unwrap_or_default();
    let more = count.saturating_sub(found.len() as u64);
    if more > 0 {
        found.push(bad("deletions", format!("{more} more are held"), advice));
    }
    found
}

fn definition(definition: &Value) -> Finding {
    let why = [text(definition, "reason"), text(definition, "message")];
    let why: Vec<&str> = why.into_iter().filter(|part| !part.is_empty()).collect();
    let what = format!("definition {}", text(definition, "name"));
    let advice =
        "its objects are not served; give it names that no other definition has, or remove it";
    bad(&what, format!("not established: {}", why.join(": ")), advice)
}

fn good(what: &str, text: String) -> Finding {
    Finding { what: what.to_owned(), text, advice: None }
}

fn bad(what: &str, text: String, advice: &'static str) -> Finding {
    Finding { what: what.to_owned(), text, advice: Some(advice) }
}

fn items<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> + use<'a> {
    value.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn number(value: &Value, member: &str) -> u64 {
    value.get(member).and_then(Value::as_u64).unwrap_or_default()
}

fn text<'a>(value: &'a Value, member: &str) -> &'a str {
    value.get(member).and_then(Value::as_str).unwrap_or_default()
}
