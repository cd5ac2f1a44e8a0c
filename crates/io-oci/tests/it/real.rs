//! Against Debian's `docker-registry`.

use dev_testkit::server::registry::{Door, Image, PASSWORD, Registry, USERNAME};
use io_oci::{Error, Want};

use crate::{anonymous, as_user, registries};

#[tokio::test]
async fn images_of_a_real_registry_are_found_with_digest_date_labels_and_platforms() {
    let Some(server) = Registry::start(Door::Open).await.unwrap() else { return };
    let labelled = Image {
        labels: vec![("org.opencontainers.image.created".into(), "2024-06-01T00:00:00Z".into())],
        ..Image::built("2024-01-01T00:00:00Z")
    };
    let single = server.push("team/app", "v1.0.0", &labelled).await.unwrap();
    let arm = Image {
        platform: Some(("linux".into(), "arm64".into())),
        ..Image::built("2024-03-01T00:00:00Z")
    };
    let images = [Image::built("2024-02-01T00:00:00Z"), arm];
    let index = server.push_index("team/app", "v2.0.0", &images).await.unwrap();

    let registries = registries();
    let address = server.repository("team/app");
    let repository = registries.image_repository(&address, &anonymous()).unwrap();
    let mut tags = repository.tags().await.unwrap();
    tags.sort();
    assert_eq!(tags, ["v1.0.0", "v2.0.0"]);
    let want = Want { platforms: true, ..Want::default() };
    let v1 = repository.image("v1.0.0", want).await.unwrap();
    assert_eq!((v1.digest, v1.created_at), (single, "2024-06-01T00:00:00Z".parse().ok()));
    assert_eq!(v1.platforms[0].platform.arch, "amd64");
    let v2 = repository.image("v2.0.0", want).await.unwrap();
    assert_eq!((v2.digest, v2.created_at), (index, "2024-03-01T00:00:00Z".parse().ok()));
    assert_eq!(v2.platforms.len(), 2);
    let before = repository.requests();
    repository.image("v2.0.0", want).await.unwrap();
    assert_eq!(repository.requests() - before, 1);
    let missing = repository.image("v3", want).await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
    let nowhere = registries.image_repository(&server.repository("nowhere"), &anonymous()).unwrap();
    let missing = nowhere.tags().await.unwrap_err();
    assert!(matches!(missing, Error::NotFound { .. }), "{missing}");
}

#[tokio::test]
async fn a_locked_registry_lets_its_user_in_and_nobody_else() {
    let Some(server) = Registry::start(Door::Locked).await.unwrap() else { return };
    server.push("app", "v1", &Image::built("2024-01-01T00:00:00Z")).await.unwrap();
    let registries = registries();
    let address = server.repository("app");
    let repository = registries.image_repository(&address, &as_user(USERNAME, PASSWORD)).unwrap();
    assert_eq!(repository.tags().await.unwrap(), ["v1"]);
    repository.image("v1", Want::default()).await.unwrap();
    for access in [anonymous(), as_user(USERNAME, "wrong")] {
        let repository = registries.image_repository(&address, &access).unwrap();
        let error = repository.tags().await.unwrap_err();
        assert!(matches!(error, Error::Unauthorized { status: 401, .. }), "{error}");
        assert!(!error.to_string().contains("wrong"), "{error}");
    }
}
