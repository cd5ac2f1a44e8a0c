//! The CustomResourceDefinitions of the chart, one file each.

use anyhow::Context;
use api_kinds::crd;
use serde_json::Value;

use super::Folder;

/// The definitions by file name, `<group>_<plural>.yaml`.
pub(super) fn files() -> anyhow::Result<Folder> {
    crd::crds().iter().map(|crd| Ok((file_name(crd)?, document(crd)?))).collect()
}

fn file_name(crd: &Value) -> anyhow::Result<String> {
    let text = |pointer| {
        crd.pointer(pointer).and_then(Value::as_str).with_context(|| format!("no {pointer}"))
    };
    Ok(format!("{}_{}.yaml", text("/spec/group")?, text("/spec/names/plural")?))
}

fn document(crd: &Value) -> anyhow::Result<String> {
    Ok(format!("---\n{}", crd::to_yaml(crd)?))
}
