//! Which images the Stages of a Project hold and held.

use api_kinds::Stage;
use api_rest::body::Images;

/// The images of the Stages, by repository and tag; for each Stage how long ago it held one: zero is
/// what it holds now, one what it held before that.
pub fn images<'a>(stages: impl IntoIterator<Item = &'a Stage>) -> Images {
    let mut repositories = Images::new();
    for stage in stages {
        let name = stage.metadata.name.clone().unwrap_or_default();
        for (position, collection) in stage.status.freight_history.iter().enumerate() {
            for image in collection.freight.values().flat_map(|freight| &freight.images) {
                let repository = repositories.entry(image.repo_url.clone()).or_default();
                let tag = repository.tags.entry(image.tag.clone()).or_default();
                tag.stages.entry(name.clone()).or_insert(position);
            }
        }
    }
    repositories
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_image_is_where_it_was_last() {
        let collection = |tags: &[&str]| {
            let images: Vec<_> =
                tags.iter().map(|tag| json!({"repoURL": "r", "tag": tag})).collect();
            json!({"id": "c", "items": {"Warehouse/w": {"images": images}}})
        };
        let history = json!([collection(&["2"]), collection(&["1", "x"]), collection(&["2"])]);
        let stage = |name: &str| -> Stage {
            serde_json::from_value(
                json!({"metadata": {"name": name}, "status": {"freightHistory": history}}),
            )
            .unwrap()
        };
        assert_eq!(
            serde_json::to_value(images(&[stage("a"), stage("b")])).unwrap(),
            json!({"r": {"tags": {
                "1": {"stages": {"a": 1, "b": 1}},
                "2": {"stages": {"a": 0, "b": 0}},
                "x": {"stages": {"a": 1, "b": 1}},
            }}})
        );
        assert!(images(&[Stage::default()]).is_empty());
    }
}
