//! `git-ref-match` and `image-platform`: what subscriptions are interested in.

use api_kinds::warehouse::GitSubscription;
use core_rules::subscription::{GitRefSelector, Platform};
use serde_json::{Value, json};

use crate::{Answer, Case};

pub(super) fn run_git_ref(case: &Case<'_>) -> Answer {
    let Ok(subscription) =
        serde_json::from_value::<GitSubscription>(case.member_or_null("subscription"))
    else {
        return Answer::refused();
    };
    let selector = GitRefSelector::new(&subscription);
    selector.map(|selector| Value::from(selector.matches(case.text("ref")))).into()
}

pub(super) fn run_platform(case: &Case<'_>) -> Answer {
    let as_json = |platform: Option<Platform>| {
        platform.map_or(Value::Null, |platform| {
            json!({"os": platform.os, "arch": platform.arch, "variant": platform.variant})
        })
    };
    Platform::parse_constraint(case.text("platform")).map(as_json).into()
}
