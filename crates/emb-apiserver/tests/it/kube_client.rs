//! The client that every component of the process uses, on the tower service.

use emb_auth::Identity;
use futures::{TryStreamExt, pin_mut};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client,
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
};
use serde_json::json;

use crate::world::test;

#[test]
fn a_typed_client_reads_writes_and_watches_in_process() {
    test(|api| async move {
        let client = Client::new(api.server.client_service(Identity::admin()), "default");
        let maps: Api<ConfigMap> = Api::default_namespaced(client);
        let object: ConfigMap =
            serde_json::from_value(json!({"metadata": {"name": "a"}, "data": {"k": "v"}})).unwrap();
        let created = maps.create(&PostParams::default(), &object).await.unwrap();
        let patch = Patch::Merge(json!({"data": {"k": "w"}}));
        maps.patch("a", &PatchParams::default(), &patch).await.unwrap();
        let list = maps.list(&ListParams::default()).await.unwrap();
        assert_eq!(list.items.len(), 1);

        let version = created.metadata.resource_version.unwrap();
        let events = maps.watch(&WatchParams::default(), &version).await.unwrap();
        pin_mut!(events);
        let event = events.try_next().await.unwrap().unwrap();
        let WatchEvent::Modified(changed) = event else { panic!("{event:?}") };
        assert_eq!(changed.data.unwrap()["k"], "w");
        maps.delete("a", &DeleteParams::default()).await.unwrap();
        let event = events.try_next().await.unwrap().unwrap();
        assert!(matches!(event, WatchEvent::Deleted(_)), "{event:?}");
        let missing = maps.get("a").await.unwrap_err();
        assert!(matches!(missing, kube::Error::Api(status) if status.code == 404));
    });
}
