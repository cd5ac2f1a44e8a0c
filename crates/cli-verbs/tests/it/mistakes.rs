//! What is said about wrong arguments, in words that scripts know.

use cli_client::fake::Script;
use insta::assert_snapshot;

use crate::harness::Kargo;

#[test]
fn wrong_arguments_are_told_and_nothing_is_asked() {
    let commands = [
        "get nothing",
        "get stagess",
        "get stages --sort-by {.a",
        "apply -f - --dry-run=everybody",
        "create role r --claim wrong",
        "get stages --nope",
        "get stages -z",
        "get stages --project",
        "get freight extra",
        "get freight --name a --warehouse w",
        "get cm --shared --system",
        "get projects -o bogus",
        "get projects -o jsonpath={.a",
        "logs",
        "logs a b",
        "login a b --admin",
        "delete stage",
        "delete freight",
        "create project",
        "create configmap c",
        "create configmap c --set wrong",
        "create repo-creds c --repo-url u --username n",
        "create repo-creds c --git --helm --repo-url u --username n",
        "create token t",
        "approve --freight f",
        "approve --stage s",
        "approve --freight f --freight-alias a --stage s",
        "promote --stage s",
        "promote --freight f",
        "promote --freight f --abort",
        "promote --name n --stage s",
        "promote --warehouse w --downstream-from s",
        "promote --freight f --stage s --wait --timeout soon",
        "grant --role r",
        "grant --claim a=b",
        "grant --role r --resource-type stages",
        "grant --role r --claim a=b --verb get",
        "update freight --name f",
        "verify stage",
        "refresh stage",
        "rollback",
        "explain --stage s",
    ];
    let told: Vec<String> =
        commands.iter().map(|command| Kargo::new(Script::new()).run(command)).collect();
    assert_snapshot!(told.join("\n\n"));
}
