//! `promotion-name`: everything but the identifier in the middle.

use core_rules::promotion::{child_promotion_name, promotion_name, promotion_request_name};
use core_rules::ulid::{self, Ulid};
use serde_json::{Value, json};

use crate::{Answer, Case};

pub(super) fn run(case: &Case<'_>) -> Answer {
    let id = Ulid::from_parts(1, 2);
    let (stage, freight) = (case.text("stage"), case.text("freight"));
    let name = match case.text("kind") {
        "child-promotion" => child_promotion_name(stage, case.text("target"), freight, id),
        "promotion-request" => promotion_request_name(stage, freight, id),
        _ => promotion_name(stage, freight, id),
    };
    Answer::value(name.map_or_else(|| json!({"empty": true}), |name| parts(&name, id)))
}

fn parts(name: &str, id: Ulid) -> Value {
    let middle = format!(".{}.", ulid::name_part(id));
    let (prefix, suffix) = name.split_once(&middle).unwrap_or((name, ""));
    json!({"length": name.len(), "prefix": prefix, "suffix": suffix})
}
