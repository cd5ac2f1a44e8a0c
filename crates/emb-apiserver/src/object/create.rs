//! A new object: what the server adds to it and what it must satisfy.

use core_clock::Entropy;
use emb_meta::{ObjectExt, Status, validate};
use emb_store::Op;
use serde_json::{Value, json};

use super::{
    called, check_content, drop_nulls, kind, managed, metadata,
    owners::{self, Moment},
    refuse, refuse_as,
    update::Source,
};
use crate::{access::check_escalation, call::Call};

/// Generated names are cut so that the suffix fits into 63 characters.
const GENERATED_BASE: usize = 58;
const SUFFIX_LENGTH: usize = 5;
/// No vowels and no look-alikes, so that suffixes spell nothing.
const SUFFIX_LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// Checks the place of an object that an update brings, whether it is there or not.
pub(crate) fn settle_put(call: &Call, object: &mut Value) -> Result<(), Status> {
    metadata::settle_name(call, object)?;
    metadata::settle_namespace(call, object)
}

/// What happens before mutating admission: the object as the client meant it.
pub(crate) fn begin(call: &Call, object: &mut Value, source: Source) -> Result<(), Status> {
    // An update may name the version of an object that has gone meanwhile.
    if source == Source::Put {
        object.metadata_mut().remove("resourceVersion");
    }
    let typed = managed::is_typed(call, object);
    metadata::refuse_resource_version(&call.served.resource.group_kind(), object)?;
    metadata::settle_namespace(call, object)?;
    metadata::clear_server_fields(object, call.served.resource.tracks_generation);
    if call.served.resource.has_status
        && let Some(members) = object.as_object_mut()
    {
        members.remove("status");
    }
    match source {
        Source::Apply => {}
        _ if typed => managed::of_new(call, object),
        _ => managed::forget(object),
    }
    Ok(())
}

/// What happens after mutating admission: identity, the rules of the kind, validation. Returns what has to be committed
/// together with the object.
pub(crate) fn complete(call: &mut Call, object: &mut Value) -> Result<Vec<Op>, Status> {
    super::conform_again(call, object)?;
    owners::keep_distinct(call, object, Moment::Admitted);
    let base = object.text(&["metadata", "generateName"]).to_owned();
    let generated = object.name().is_empty() && !base.is_empty();
    let (uid, now) = (call.state.entropy.uuid(), call.state.clock.now());
    let tracks_generation = call.served.resource.tracks_generation;
    let metadata = object.metadata_mut();
    if generated {
        metadata.insert("name".into(), json!(generate_name(&base, &*call.state.entropy)));
    }
    metadata.insert("uid".into(), json!(uid));
    metadata.insert("creationTimestamp".into(), json!(now.to_rfc3339_seconds()));
    if tracks_generation {
        metadata.insert("generation".into(), json!(1));
    }
    let companions = kind::on_create(call, object);
    check_escalation(call, object, None)?;
    let errors = validate::check_create(object, call.served.resource.name_rule);
    let errors = check_content(&call.served, object, None, errors);
    refuse_as(&called(&call.served, object), object.name(), &errors)?;
    refuse(&call.served, object.name(), &kind::problems(call, object))?;
    if call.served.custom.is_some() {
        call.warnings.extend(validate::warnings(object, None));
    }
    drop_nulls(&call.served, object);
    Ok(companions)
}

fn generate_name(base: &str, entropy: &dyn Entropy) -> String {
    let cut = (0..=GENERATED_BASE.min(base.len())).rev().find(|&at| base.is_char_boundary(at));
    let mut name = base.get(..cut.unwrap_or(0)).unwrap_or_default().to_owned();
    for _ in 0..SUFFIX_LENGTH {
        let at = usize::try_from(entropy.below(SUFFIX_LETTERS.len() as u64)).unwrap_or(0);
        name.push(SUFFIX_LETTERS.get(at).map_or('x', |&letter| char::from(letter)));
    }
    name
}

#[cfg(test)]
mod tests {
    use core_clock::SeededEntropy;

    use super::*;

    #[test]
    fn generated_names_keep_their_base_and_fit_into_63_characters() {
        let entropy = SeededEntropy::new(1);
        let name = generate_name("gen-", &entropy);
        assert!(name.starts_with("gen-") && name.len() == 9, "{name}");
        assert_eq!(generate_name(&"a".repeat(70), &entropy).len(), 63);
        assert!(generate_name(&"é".repeat(40), &entropy).len() <= 63);
    }
}
