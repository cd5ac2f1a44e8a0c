//! The names of files in the flat layout.

use crate::{
    StepError,
    steps::render::{Document, plain_name},
};

/// A file for each manifest; of those with the same name the last counts.
pub(super) fn named(documents: Vec<Document>) -> Result<Vec<(String, String)>, StepError> {
    let mut unnamed = 0;
    let mut files = Vec::with_capacity(documents.len());
    for document in documents {
        let name = name(&document).unwrap_or_else(|| {
            unnamed += 1;
            format!("resource-{unnamed}.yaml")
        });
        files.push((plain_name(name)?, document.text));
    }
    Ok(files)
}

/// `[group-]kind[-namespace]-name.yaml`; `None` without kind or name.
fn name(document: &Document) -> Option<String> {
    let Document { group, kind, namespace, name, .. } = document;
    if kind.is_empty() || name.is_empty() {
        return None;
    }
    let group = group.replace('.', "_");
    let parts = [&*group, kind, namespace, name].into_iter().filter(|part| !part.is_empty());
    Some(format!("{}.yaml", parts.collect::<Vec<_>>().join("-")).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::render::documents;

    fn names(stream: &str) -> Result<Vec<String>, StepError> {
        Ok(named(documents(stream)?)?.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn files_carry_group_kind_namespace_and_name() {
        let stream = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: test, namespace: kube-system}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\n";
        let expected =
            ["networking_k8s_io-networkpolicy-kube-system-test.yaml", "service-web.yaml"];
        assert_eq!(names(stream).unwrap(), expected);
    }

    #[test]
    fn manifests_without_a_name_are_counted() {
        assert_eq!(
            names("kind: A\n---\nmetadata: {name: x}\n---\na: [\n").unwrap(),
            ["resource-1.yaml", "resource-2.yaml", "resource-3.yaml"]
        );
    }

    #[test]
    fn a_manifest_cannot_choose_a_place_elsewhere() {
        assert!(names("kind: A\nmetadata: {name: ../../x}\n").is_err());
    }
}
