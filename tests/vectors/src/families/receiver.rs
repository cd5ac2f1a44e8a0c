//! `receiver-path`: where webhook receivers are reached.

use core_rules::receiver::{Receiver, receiver_address};
use serde_json::json;

use crate::{Answer, Case};

pub(super) fn run(case: &Case<'_>) -> Answer {
    let receiver = Receiver {
        kind: case.text("type"),
        project: case.text("project"),
        name: case.text("name"),
        secret_values: &case.texts("secretValues"),
    };
    let address = receiver_address(case.text("baseURL"), &receiver);
    address.map(|address| json!({"path": address.path, "url": address.url})).into()
}
