use api_kinds::{
    artifact,
    collection::FreightReference,
    promotion::PromotionStepStatus,
    stage::FreightRequest,
    warehouse::{ImageSubscription, RepoSubscription, Source, Warehouse},
};
use serde_json::{Value, json};

use crate::{
    Class,
    testbed::{Attempt, Testbed},
};

const TEXT: &str = "resources:\n- d.yaml # keep\nimages:\n- name: nginx\n  newName: mirror/nginx\n  newTag: v1 # old\n";

async fn run(testbed: &Testbed, images: Value) -> Attempt {
    testbed.run("kustomize-set-image", json!({"path": "k", "images": images})).await
}

/// A Warehouse that subscribes to images, and a Stage that requests its Freight.
fn subscribe(testbed: &mut Testbed, name: &str, images: &[&str]) {
    let mut warehouse = Warehouse::default();
    warehouse.spec.subscriptions = images
        .iter()
        .map(|image| {
            let image = ImageSubscription { repo_url: (*image).to_owned(), ..Default::default() };
            RepoSubscription { name: String::new(), source: Source::Image(image) }
        })
        .collect();
    testbed.control_plane.warehouses.lock().insert(name.to_owned(), warehouse);
    let mut request = FreightRequest::default();
    request.origin.name = name.to_owned();
    testbed.subject.requests.push(request);
}

#[tokio::test]
async fn images_are_set_and_told_also_when_the_step_runs_again() {
    let testbed = Testbed::new().await;
    testbed.write("k/kustomization.yaml", TEXT);
    let images = json!([
        {"image": "nginx", "newName": "*", "tag": "1.27"},
        {"image": "redis", "name": "cache", "digest": "sha256:b", "tag": ""}]);
    for _ in 0..2 {
        let attempt = run(&testbed, images.clone()).await;
        assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
        assert_eq!(
            attempt.output()["commitMessage"],
            "Updated k to use new images\n\n- cache@sha256:b\n- mirror/nginx:1.27"
        );
        let expected = "resources:\n- d.yaml # keep\nimages:\n- name: cache\n  digest: sha256:b\n\
                        - name: nginx\n  newName: mirror/nginx\n  newTag: \"1.27\" # old\n";
        assert_eq!(testbed.read("k/kustomization.yaml").as_deref(), Some(expected));
    }
}

#[tokio::test]
async fn without_images_those_of_the_freight_are_set() {
    let mut testbed = Testbed::new().await;
    testbed.write("k/Kustomization", "resources: []\n");
    let image = artifact::Image {
        repo_url: "ghcr.io/acme/app".to_owned(),
        tag: "v2".to_owned(),
        digest: "sha256:a".to_owned(),
        ..Default::default()
    };
    testbed.subject.freight = vec![FreightReference { images: vec![image], ..Default::default() }];
    subscribe(&mut testbed, "one", &["ghcr.io/acme/app"]);
    let attempt = run(&testbed, json!([])).await;
    assert_eq!(attempt.status, PromotionStepStatus::Succeeded, "{}", attempt.message);
    assert_eq!(
        attempt.output()["commitMessage"],
        "Updated k to use new image\n\n- ghcr.io/acme/app:v2@sha256:a"
    );
    subscribe(&mut testbed, "two", &["ghcr.io/acme/app"]);
    let attempt = run(&testbed, json!([])).await;
    assert_eq!(attempt.class, Some(Class::Retryable));
    assert!(attempt.message.contains("more than once"), "{}", attempt.message);
    testbed.control_plane.warehouses.lock().clear();
    assert!(run(&testbed, json!([])).await.message.contains("no Warehouse"));
}

#[tokio::test]
async fn a_kustomization_must_be_one_regular_file() {
    let testbed = Testbed::new().await;
    let images = json!([{"image": "a", "tag": "1"}]);
    testbed.write("elsewhere.yaml", TEXT);
    testbed.write("k/x", "");
    std::os::unix::fs::symlink("../elsewhere.yaml", testbed.files().join("k/kustomization.yaml"))
        .unwrap();
    assert_eq!(run(&testbed, images.clone()).await.class, Some(Class::Retryable));
    testbed.write("k/kustomization.yml", "a: 1\n");
    assert_eq!(run(&testbed, images.clone()).await.class, None);
    testbed.write("k/Kustomization", "a: 1\n");
    let attempt = run(&testbed, images).await;
    assert!(attempt.message.contains("more than one"), "{}", attempt.message);
}

#[tokio::test]
async fn tag_and_digest_exclude_each_other() {
    let testbed = Testbed::new().await;
    for image in [
        json!({"image": "a"}),
        json!({"image": "a", "tag": "1", "digest": "sha256:a"}),
        json!({"image": "", "tag": "1"}),
        json!({"image": "a", "tag": "1", "more": 1}),
    ] {
        let attempt = run(&testbed, json!([image])).await;
        assert_eq!(attempt.class, Some(Class::Failed), "{}", attempt.message);
    }
}
