//! `actors`: what users and controllers are called, and who created something.

use core_rules::actor::{User, controller_actor, creator_of, user_actor};
use serde_json::{Value, json};

use crate::{Answer, Case};

pub(super) fn run(case: &Case<'_>) -> Answer {
    match case.text("kind") {
        "creator-of" => Answer::value(creator_of(case.text("value"))),
        "controller" => Answer::value(controller_actor(case.text("value"))),
        _ => Answer::value(user_actor(&user(case.member("user").unwrap_or(&json!({}))))),
    }
}

fn user(user: &Value) -> User<'_> {
    let text = |name: &str| user.get(name).and_then(Value::as_str).unwrap_or_default();
    User {
        is_admin: user.get("isAdmin").and_then(Value::as_bool).unwrap_or_default(),
        kubernetes_name: user.pointer("/kubernetesUserInfo/username").and_then(Value::as_str),
        name: text("username"),
        name_claim: text("usernameClaim"),
        claims: user.get("claims").and_then(Value::as_object),
    }
}
