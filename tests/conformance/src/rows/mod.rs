//! The table: every row of the specification's conformance plan (E22), by number.

mod access;
mod account;
mod apply;
mod attempt;
mod bad_definition;
mod builtin;
mod create;
mod definition;
mod delete;
mod escalation;
mod event;
mod garbage;
mod helm;
mod http;
mod kubectl;
mod library;
mod limits;
mod list;
mod metadata;
mod namespaces;
mod negotiation;
mod patch;
mod restore;
mod review;
mod rules;
mod selector;
mod strategic;
mod table;
mod token;
mod tool;
mod update;
mod validation;
mod versions;
mod watch;
mod webhook;

use std::pin::Pin;

use anyhow::Result;

use crate::world::World;

/// A check: passes, fails, or says by [`crate::runner::Skip`] that it cannot run here.
pub(crate) type Run = for<'a> fn(&'a World<'a>) -> Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// One row.
pub(crate) struct Row {
    pub(crate) number: u16,
    pub(crate) title: &'static str,
    /// The rank of the need that it covers.
    pub(crate) rank: u8,
    pub(crate) check: Check,
}

/// What stands behind a row.
#[derive(Clone, Copy)]
pub(crate) enum Check {
    Runs(Pace, Run),
    /// Another test covers it, with where.
    Elsewhere(&'static str),
}

/// How a row runs beside the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// A few at once.
    Quick,
    /// Waits for time to pass: all such rows start at once.
    Slow,
    /// Disturbs others: runs by itself at the end.
    Alone,
}

impl Row {
    pub(crate) fn pace(&self) -> Pace {
        match self.check {
            Check::Runs(pace, _) => pace,
            Check::Elsewhere(_) => Pace::Quick,
        }
    }
}

const fn row(number: u16, title: &'static str, rank: u8, check: Check) -> Row {
    Row { number, title, rank, check }
}

macro_rules! runs {
    ($check:path) => {
        Check::Runs(Pace::Quick, |world| Box::pin($check(world)))
    };
}

macro_rules! slow {
    ($check:path) => {
        Check::Runs(Pace::Slow, |world| Box::pin($check(world)))
    };
}

/// Every row of the plan.
#[rustfmt::skip]
pub(crate) static ROWS: &[Row] = &[
    row(1, "GET /version anonymous", 7, runs!(http::version)),
    row(2, "GET /readyz, /livez, /healthz anonymous; ?verbose", 7, runs!(http::health)),
    row(3, "HEAD /livez/ping", 7, runs!(http::head_livez_ping)),
    row(4, "GET /api anonymous", 7, runs!(http::discovery_as_anonymous)),
    row(5, "GET /apis aggregated; If-None-Match", 7, runs!(http::aggregated_discovery)),
    row(6, "aggregated discovery of Widget", 7, runs!(http::aggregated_widget)),
    row(7, "GET /apis legacy; /apis/g; /apis/g/v", 7, runs!(http::legacy_discovery)),
    row(8, "/openapi/v3 root and group", 9, runs!(http::open_api)),
    row(9, "unknown group, plural, path", 7, runs!(http::unknown_paths)),
    row(10, "unknown core plural", 7, runs!(http::unknown_core_plural)),
    row(11, "trailing slash, encoded colon in name", 7, runs!(http::path_forms)),
    row(12, "Accept text/xml", 7, runs!(negotiation::unknown_accept)),
    row(13, "Accept application/yaml, object and error", 7, runs!(negotiation::yaml_replies)),
    row(14, "Accept protobuf only on a CR; with */*", 7, runs!(negotiation::protobuf_accept)),
    row(15, "POST text/plain", 7, runs!(negotiation::unknown_body_type)),
    row(16, "POST YAML body", 7, runs!(negotiation::yaml_bodies)),
    row(17, "POST protobuf ConfigMap, Secret, Event, Role, Lease, SAR", 10, runs!(negotiation::protobuf_bodies)),
    row(18, "DELETE with protobuf DeleteOptions", 10, runs!(negotiation::protobuf_delete_options)),
    row(19, "POST CBOR", 10, runs!(negotiation::cbor_body)),
    row(20, "gzip of large lists only", 7, runs!(negotiation::compression)),
    row(21, "create CR", 1, runs!(create::custom_resource)),
    row(22, "create twice", 1, runs!(create::twice)),
    row(23, "generateName", 1, runs!(create::generated_name)),
    row(24, "generateName of 70 characters", 1, runs!(create::long_generated_name)),
    row(25, "name and generateName", 1, runs!(create::name_beats_generated_name)),
    row(26, "no name", 1, runs!(create::without_name)),
    row(27, "bad names: upper case, slash, 254 characters", 1, runs!(create::bad_names)),
    row(28, "namespace mismatch in body", 1, runs!(create::other_namespace_in_body)),
    row(29, "missing kind, wrong kind, wrong version", 1, runs!(create::other_kind_in_body)),
    row(30, "empty body, bad JSON", 1, runs!(create::unreadable_body)),
    row(31, "resourceVersion on create", 1, runs!(create::with_resource_version)),
    row(32, "uid, creationTimestamp, generation, deletionTimestamp in body", 1, runs!(create::server_fields_in_body)),
    row(33, "create in missing namespace", 1, runs!(create::in_missing_namespace)),
    row(34, "bad label key and value, annotation above 256 KiB", 1, runs!(metadata::labels_and_annotations)),
    row(35, "finalizer without domain", 1, runs!(metadata::finalizer_without_domain)),
    row(36, "owner reference without uid; two controllers", 1, runs!(metadata::owner_references)),
    row(37, "create with status where it is a subresource", 1, runs!(create::status_is_dropped)),
    row(38, "create with dryRun=All", 9, runs!(create::dry_run)),
    row(39, "dryRun=Foo", 9, runs!(create::unknown_dry_run)),
    row(40, "PUT without a change", 1, runs!(update::nothing_changed)),
    row(41, "PUT spec change", 1, runs!(update::spec_changed)),
    row(42, "PUT label change", 1, runs!(update::label_changed)),
    row(43, "PUT with stale resourceVersion", 1, runs!(update::stale_revision)),
    row(44, "PUT of CR and ConfigMap without resourceVersion", 1, runs!(update::without_revision)),
    row(45, "PUT of missing CR, Lease, Role, Event", 1, runs!(update::missing_object)),
    row(46, "PUT with other uid", 1, runs!(update::other_uid)),
    row(47, "PUT name mismatch", 1, runs!(update::other_name)),
    row(48, "PUT main with status", 1, runs!(update::status_through_main_endpoint)),
    row(49, "PUT /status with spec, labels, finalizers", 1, runs!(update::everything_through_status_endpoint)),
    row(50, "PATCH /status with metadata", 1, runs!(update::patch_of_status_with_metadata)),
    row(51, "Gadget status change", 1, runs!(update::status_without_subresource)),
    row(52, "merge patch null deletes, default returns", 1, runs!(patch::null_deletes)),
    row(53, "merge patch with stale resourceVersion", 1, runs!(patch::stale_revision)),
    row(54, "merge patch without a change", 1, runs!(patch::nothing_changed)),
    row(55, "20 parallel merge patches", 1, runs!(patch::twenty_at_once)),
    row(56, "JSON patch; failing test; bad operation", 1, runs!(patch::json_patch)),
    row(57, "JSON patch body is an object", 1, runs!(patch::json_patch_is_no_array)),
    row(58, "strategic patch on CR", 12, runs!(patch::strategic_on_custom_resource)),
    row(59, "strategic patch of ConfigMap data, $patch: replace", 12, runs!(strategic::maps)),
    row(60, "strategic patch of finalizers, $deleteFromPrimitiveList", 12, runs!(strategic::finalizers)),
    row(61, "strategic patch of owners by uid, $patch: delete", 12, runs!(strategic::owner_references)),
    row(62, "PATCH application/json", 1, runs!(patch::patch_as_plain_json)),
    row(63, "PATCH of missing object", 1, runs!(patch::missing_object)),
    row(64, "apply create / same / change", 13, runs!(apply::creates_and_changes)),
    row(65, "apply without fieldManager", 13, runs!(apply::without_manager)),
    row(66, "apply conflict; force", 13, runs!(apply::between_managers)),
    row(67, "apply map-list and set merge by two managers", 13, runs!(apply::lists)),
    row(68, "apply dropping a sole-owned field", 13, runs!(apply::dropped_fields)),
    row(69, "apply after Update manager", 13, runs!(apply::after_update)),
    row(70, "apply status subresource; on missing object", 13, runs!(apply::subresource)),
    row(71, "apply with managedFields, wrong RV", 13, runs!(apply::bad_bodies)),
    row(72, "managedFields `[{}]` reset then apply", 13, runs!(apply::reset)),
    row(73, "force on merge patch", 13, runs!(apply::force_elsewhere)),
    row(74, "unknown field under Warn, Strict, Ignore; duplicate field", 9, runs!(validation::unknown_fields)),
    row(75, "schema errors: required, enum, type, bounds, pattern, length, format, items", 3, runs!(validation::schema_errors)),
    row(76, "duplicates in sets and maps", 3, runs!(validation::duplicates)),
    row(77, "null for defaulted, plain and nullable fields", 3, runs!(validation::nulls)),
    row(78, "preserve-unknown keeps nested nulls and types", 3, runs!(validation::open_ended_fields)),
    row(79, "int64 and float round trip", 3, runs!(validation::numbers)),
    row(80, "CEL message, no message, messageExpression, reason, fieldPath, runtime error", 3, runs!(rules::messages)),
    row(81, "CEL transition rule: change, removal", 3, runs!(rules::transitions)),
    row(82, "ratcheting after schema tightening", 3, runs!(rules::ratcheting)),
    row(83, "read after adding default, dropping field", 3, runs!(rules::reads_after_schema_change)),
    row(84, "CRD create, then list instances at once", 17, runs!(definition::served_after_create)),
    row(85, "CRD conditions, acceptedNames, storedVersions", 17, runs!(definition::conditions)),
    row(86, "CRD kind conflict", 17, runs!(definition::name_conflict)),
    row(87, "CRD invalid schemas", 17, runs!(bad_definition::refused)),
    row(88, "CRD change of scope, kind; removal of stored version", 17, runs!(definition::immutable_fields)),
    row(89, "CRD delete with instance finalizer", 17, runs!(definition::deletion)),
    row(90, "deprecated version read", 17, runs!(definition::deprecated_version)),
    row(91, "list empty", 2, runs!(list::empty)),
    row(92, "list in pages while inserting", 2, runs!(list::pages)),
    row(93, "bad continue; continue with resourceVersion", 2, runs!(list::bad_continue)),
    row(94, "expired continue", 16, slow!(list::expired_continue)),
    row(95, "list with resourceVersion 0, N, NotOlderThan, Exact, future", 2, slow!(list::versions)),
    row(96, "Exact at compacted revision", 16, slow!(list::exact_after_history)),
    row(97, "label selectors, valid and invalid", 2, runs!(selector::labels)),
    row(98, "field selectors name, namespace, selectable, unsupported", 2, runs!(selector::fields)),
    row(99, "events by involvedObject; secrets by type", 2, runs!(selector::events_and_secrets)),
    row(100, "built-in list items lack kind; CR items have it", 2, runs!(list::kinds_of_items)),
    row(101, "watch from resourceVersion unset, 0, N", 2, runs!(watch::starts)),
    row(102, "watch events of create, update, status, label, delete", 2, runs!(watch::changes)),
    row(103, "watch selector transitions", 2, runs!(watch::selected_changes)),
    row(104, "watch sendInitialEvents with and without bookmarks, selector, empty set", 2, runs!(watch::initial_events)),
    row(105, "sendInitialEvents bad combinations", 2, runs!(watch::bad_initial_events)),
    row(106, "watch from too old resourceVersion", 2, slow!(watch::too_old)),
    row(107, "watch timeoutSeconds=2", 2, slow!(watch::timeout)),
    row(108, "bookmark within 70 s idle", 2, slow!(watch::bookmark_when_idle)),
    row(109, "resume after server restart from last resourceVersion", 11, slow!(watch::resumes_after_restart)),
    row(110, "watch as Table, as PartialObjectMetadata, as YAML", 8, runs!(table::watches)),
    row(111, "Table columns of every kind", 8, runs!(table::columns_of_kinds)),
    row(112, "PartialObjectMetadataList; PartialObjectMetadata on a list", 16, runs!(table::metadata_only)),
    row(113, "DELETE with and without finalizers, twice", 4, runs!(delete::with_and_without_finalizers)),
    row(114, "last finalizer removal", 4, runs!(delete::last_finalizer)),
    row(115, "add finalizer, create while deleting", 4, runs!(delete::changes_while_deleting)),
    row(116, "DELETE preconditions; bad policy", 4, runs!(delete::preconditions_and_policies)),
    row(117, "DELETE of a collection by label", 16, runs!(delete::collection)),
    row(118, "garbage collection", 4, slow!(garbage::collector)),
    row(119, "namespace lifecycle", 4, slow!(namespaces::lifecycle)),
    row(120, "bad token; anonymous; words of refusals", 5, runs!(access::refusals)),
    row(121, "TokenRequest defaults, bounds, bound Secret, use, wrong audience", 5, slow!(token::request)),
    row(122, "TokenReview good, bad, audiences, empty", 5, runs!(token::review)),
    row(123, "token Secret filled; goes with its ServiceAccount", 5, slow!(token::secret)),
    row(124, "SelfSubjectReview, impersonation user/group/extra", 15, runs!(review::who_am_i)),
    row(125, "RBAC: names, subresources, paths, bindings", 5, runs!(access::rules)),
    row(126, "escalation on Role and RoleBinding, bind, escalate", 18, runs!(escalation::checks)),
    row(127, "SAR, LSAR, SSAR, SSRR bodies", 5, runs!(review::access_reviews)),
    row(128, "aggregated ClusterRole follows labels", 18, runs!(review::aggregation)),
    row(129, "webhooks: order, denial, failure policy, selectors", 14, slow!(webhook::calls)),
    row(130, "webhook configuration validation and defaults", 14, runs!(webhook::rules_and_defaults)),
    row(131, "Secret and ConfigMap rules", 1, runs!(builtin::secrets_and_config_maps)),
    row(132, "Event namespaces, two views, expiry", 1, slow!(event::events)),
    row(133, "Lease times", 1, runs!(event::leases)),
    row(134, "body of 3 MiB and a byte; object of 1.6 MiB", 1, runs!(limits::sizes)),
    row(135, "kubectl", 12, slow!(kubectl::matrix)),
    row(136, "helm install, upgrade, rollback, uninstall", 12, slow!(helm::releases)),
    row(137, "upstream Kargo: project, promotion, API token, project delete", 18, Check::Elsewhere("make test-strangers (tests/strangers), which is told where the programs of the reference are")),
    row(138, "kill -9 again and again", 11, Check::Elsewhere("make crash (tests/crash), which needs its own processes")),
    row(139, "backup under load, restore, clients list anew", 11, slow!(restore::snapshot_under_load)),
    row(140, "10k objects: list, watch-list, memory, start", 11, Check::Elsewhere("make bench (tests/bench), which measures")),
];

#[cfg(test)]
mod tests {
    use super::ROWS;

    #[test]
    fn every_row_of_the_plan_stands_once_and_in_order() {
        assert!(ROWS.iter().map(|row| row.number).eq(1..=140));
    }
}
