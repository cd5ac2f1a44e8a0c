//! Server-side apply: the wanted part of an object, merged into the whole by ownership.

use std::mem;

use serde_json::Value;

use crate::{
    changes::Changes,
    conflict::{Claims, conflicts},
    entry::{Entry, Identity, Operation},
    error::ApplyError,
    fields_of::fields_of,
    fit::fit,
    last_applied,
    managers::Managers,
    merge::merge,
    prune::prune,
    set::FieldSet,
    times::is_same_object,
    types::ObjectType,
    update::{managed_fields, set_managed_fields, take_managed_fields},
    validate::check,
    writer::Writer,
};

/// Who owns what was there before anybody applied.
const BEFORE_FIRST_APPLY: &str = "before-first-apply";

impl ObjectType {
    /// Applies `applied` to `live`, or to nothing.
    ///
    /// What the writer applied before, does not apply now, and nobody else owns is removed. Changing what others own is a
    /// conflict, unless it is forced. The result has its entries.
    pub fn apply(
        &self,
        live: Option<&Value>,
        applied: &Value,
        writer: &Writer<'_>,
        force: bool,
    ) -> Result<Value, ApplyError> {
        if managed_fields(applied).is_some() {
            return Err(ApplyError::ManagedFieldsGiven);
        }
        check(self.root(), applied).map_err(|problems| ApplyError::invalid(applied, problems))?;
        let live = live.unwrap_or_else(|| self.empty());
        let mut application = Application::new(self, live, writer);
        let mut merged = application.merge(applied);
        let changes = Changes::tracked(self.root(), live, &merged, writer.ignored);
        if !force {
            application.refuse_conflicts(&changes)?;
        }
        application.take_over(&changes, !is_same_object(live, &merged));
        last_applied::keep_in_step(writer.manager, &mut merged, applied);
        set_managed_fields(&mut merged, application.managers.encode());
        Ok(merged)
    }
}

/// An apply under way.
struct Application<'a> {
    kind: &'a ObjectType,
    live: &'a Value,
    writer: &'a Writer<'a>,
    /// The other managers; in the end, all of them.
    managers: Managers,
    /// What the writer owns by its last apply.
    last: Option<Entry>,
    /// What the writer owns by this one, with the identity of the object: metadata is not to be removed.
    claimed: FieldSet,
}

impl<'a> Application<'a> {
    fn new(kind: &'a ObjectType, live: &'a Value, writer: &'a Writer<'a>) -> Self {
        let mut managers = managed_fields(live).cloned().map(Managers::stored).unwrap_or_default();
        if managers.is_empty() {
            let all = Changes::tracked(kind.root(), kind.empty(), live, writer.ignored);
            managers.record_update(BEFORE_FIRST_APPLY, all, writer);
        }
        for entry in &mut managers.0 {
            fit(kind.root(), &mut entry.fields);
        }
        let last = managers.take(&Identity::new(writer.manager, Operation::Apply, writer));
        Self { kind, live, writer, managers, last, claimed: FieldSet::default() }
    }

    /// The live object with everything applied and without what was let go.
    fn merge(&mut self, applied: &Value) -> Value {
        self.claimed = fields_of(self.kind.root(), applied);
        self.claimed.ignore(self.writer.ignored);
        let mut merged = merge(self.kind.root(), Some(self.live.clone()), applied);
        take_managed_fields(&mut merged);
        if let Some(last) = &self.last {
            let mut owned = self.managers.union();
            owned.union(self.claimed.clone());
            prune(self.kind.root(), &mut merged, &last.fields, &owned);
        }
        merged
    }

    fn refuse_conflicts(&self, changes: &Changes) -> Result<(), ApplyError> {
        let mut wanted = changes.added.clone();
        wanted.union(changes.modified.clone());
        let claims: Vec<Claims<'_>> = self
            .managers
            .0
            .iter()
            .map(|owner| Claims { owner, fields: owner.fields.intersection(&wanted) })
            .filter(|claim| !claim.fields.is_empty())
            .collect();
        if claims.is_empty() {
            return Ok(());
        }
        let Writer { manager, api_version, .. } = self.writer;
        let own = last_applied::own_past(self.kind.root(), manager, api_version, self.live);
        let claims = claims
            .into_iter()
            .map(|claim| Claims { fields: claim.fields.without(&own), ..claim })
            .collect();
        conflicts(claims).map_or(Ok(()), |conflicts| Err(ApplyError::Conflicts(conflicts)))
    }

    /// Makes the writer the owner of what it applied.
    fn take_over(&mut self, changes: &Changes, changed: bool) {
        self.managers.release(changes);
        // Who only joins the owners of what is there has not written at any time.
        let last = self.last.take().map(|last| last.time).unwrap_or_default();
        let time = if changed { self.writer.time.to_rfc3339_seconds() } else { last };
        let identity = Identity::new(self.writer.manager, Operation::Apply, self.writer);
        let mut fields = mem::take(&mut self.claimed);
        fields.strip();
        self.managers.0.push(Entry { identity, time, fields });
    }
}
