//! The definitions that users install: Kargo's own and those of Argo.

use std::{env, fs, path::PathBuf};

use core_clock::Time;
use emb_meta::ObjectExt;
use serde_json::Value;

use super::{accept_names, custom, default_and_validate, is_established, names_in_use};
use crate::{BuiltInKind, builtins, openapi, table};

/// The definitions of the requirements beside the repository; `None` where they are not checked out.
fn definitions() -> Option<Vec<Value>> {
    let shared = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    if !shared.is_dir() {
        assert!(env::var_os("CI").is_none_or(|ci| ci != "true"), "../shared is missing");
        println!("skipped: ../shared not found");
        return None;
    }
    let folders = ["crds", "argoproj"].map(|folder| fs::read_dir(shared.join(folder)).unwrap());
    let mut files: Vec<PathBuf> =
        folders.into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    Some(
        files
            .iter()
            .map(|file| emb_codec::yaml::decode(&fs::read(file).unwrap()).unwrap().value)
            .collect(),
    )
}

#[test]
fn every_definition_is_accepted_and_served() {
    let Some(definitions) = definitions() else { return };
    let kinds = builtins();
    let own = kinds
        .iter()
        .find(|resource| resource.built_in() == Some(BuiltInKind::CustomResourceDefinition))
        .unwrap();
    let mut served = Vec::new();
    for mut definition in definitions {
        let name = definition.name().to_owned();
        assert_eq!(own.schema.unknown_fields(&definition), [""; 0], "{name}");
        own.decode_builtin(&mut definition).unwrap();
        let (errors, warnings) = default_and_validate(&mut definition, None);
        assert_eq!((errors, warnings), (vec![], vec![]), "{name}");
        accept_names(&mut definition, &names_in_use([]), Time::default());
        assert!(is_established(&definition), "{name}");
        let before = definition.clone();
        own.decode_builtin(&mut definition).unwrap();
        assert_eq!(definition, before, "{name} is in its canonical form");
        served.extend(custom(&definition).unwrap());
    }
    assert!(served.len() >= 16, "{}", served.len());
    for resource in &served {
        let columns = table::columns(resource);
        assert_eq!(columns[0]["name"], "Name");
        let declared = resource.columns.iter().skip(1).all(|column| column.path.is_some());
        assert!(declared && resource.columns.len() > 1, "{}", resource.plural);
        let at = resource.gvk.group_version();
        assert!(openapi::document(&served, &at, "v1").is_some());
    }
}
