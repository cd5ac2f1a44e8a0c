//! The forms of bodies and replies.

use std::io::Read;

use http::Method;
use serde_json::json;

use crate::{
    custom::{WIDGETS, install, widget},
    world::{CONFIG_MAPS, config_map, test},
};

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

#[test]
fn yaml_goes_in_and_out() {
    test(|api| async move {
        let body = "metadata:\n  name: a\ndata:\n  k: v\n";
        let posted = api.request(Method::POST, CONFIG_MAPS).body(body);
        posted.header("content-type", "application/yaml").send().await.expect(201);
        let read = api.request(Method::GET, &format!("{CONFIG_MAPS}/a"));
        let reply = read.header("accept", "application/yaml").send().await.expect(200);
        assert_eq!(reply.headers["content-type"], "application/yaml");
        assert!(std::str::from_utf8(&reply.bytes).unwrap().contains("kind: ConfigMap"));
        let missing = api.request(Method::GET, &format!("{CONFIG_MAPS}/b"));
        let reply = missing.header("accept", "application/yaml").send().await.expect(404);
        assert!(std::str::from_utf8(&reply.bytes).unwrap().contains("reason: NotFound"));
    });
}

#[test]
fn unknown_types_are_refused() {
    test(|api| async move {
        let posted = api.request(Method::POST, CONFIG_MAPS).body("x");
        posted.header("content-type", "text/plain").send().await.expect(415);
        let read = api.request(Method::GET, CONFIG_MAPS);
        read.header("accept", "text/xml").send().await.expect(406);
        let watch = api.request(Method::GET, &format!("{CONFIG_MAPS}?watch=true"));
        watch.header("accept", "application/yaml").send().await.expect(406);
    });
}

#[test]
fn a_protobuf_body_is_read() {
    test(|api| async move {
        // Unknown{typeMeta{v1, ConfigMap}, raw: ConfigMap{metadata{name: a}, data{k: v}}}
        let metadata = b"\x0a\x01a";
        let data = b"\x0a\x01k\x12\x01v";
        let mut raw = vec![0x0a, u8::try_from(metadata.len()).unwrap()];
        raw.extend(metadata);
        raw.extend([0x12, u8::try_from(data.len()).unwrap()]);
        raw.extend(data);
        let type_meta = b"\x0a\x02v1\x12\x09ConfigMap";
        let mut body = b"k8s\0\x0a".to_vec();
        body.push(u8::try_from(type_meta.len()).unwrap());
        body.extend(type_meta);
        body.extend([0x12, u8::try_from(raw.len()).unwrap()]);
        body.extend(raw);
        let whole = body.clone();
        let posted = api.request(Method::POST, CONFIG_MAPS).body(body);
        let posted = posted.header("content-type", "application/vnd.kubernetes.protobuf");
        let created = posted.header("accept", "application/vnd.kubernetes.protobuf, */*");
        let created = created.send().await.expect(201);
        assert_eq!(created.json["data"], json!({"k": "v"}));
        // Wherever it ends, there is a reply that says so.
        for length in 0..whole.len() {
            let cut = api.request(Method::POST, CONFIG_MAPS).body(whole[..length].to_vec());
            let cut = cut.header("content-type", "application/vnd.kubernetes.protobuf");
            let reply = cut.send().await;
            assert!((400..500).contains(&reply.code), "{length}: {}", reply.code);
            assert_eq!(reply.json["kind"], "Status", "{length}");
        }
    });
}

#[test]
fn tables_have_the_columns_of_the_kind() {
    test(|api| async move {
        install(&api).await;
        api.post(WIDGETS, &widget("a", json!({"color": "green"}))).await.expect(201);
        let list = api.request(Method::GET, WIDGETS).header("accept", TABLE);
        let list = list.send().await.expect(200);
        assert_eq!(list.json["kind"], "Table");
        let columns = list.json["columnDefinitions"].as_array().unwrap();
        let names: Vec<&str> =
            columns.iter().map(|column| column["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["Name", "Color"]);
        assert_eq!(list.json["rows"][0]["cells"], json!(["a", "green"]));
        assert_eq!(list.json["rows"][0]["object"]["kind"], "PartialObjectMetadata");
        assert!(list.json["metadata"]["resourceVersion"].is_string());
        let one = api.request(Method::GET, &format!("{WIDGETS}/a")).header("accept", TABLE);
        assert_eq!(one.send().await.expect(200).json["kind"], "Table");
        let missing = api.request(Method::GET, &format!("{WIDGETS}/b")).header("accept", TABLE);
        assert_eq!(missing.send().await.expect(404).json["kind"], "Status");
    });
}

/// Plain tables are written from stored bytes, others from whole objects.
#[test]
fn a_table_says_the_same_plain_and_pretty() {
    test(|api| async move {
        install(&api).await;
        api.post(WIDGETS, &widget("a", json!({"color": "green"}))).await.expect(201);
        api.post(WIDGETS, &widget("b", json!({}))).await.expect(201);
        let secret =
            json!({"metadata": {"name": "s", "labels": {"a": "b"}}, "data": {"k": "dg=="}});
        api.post("/api/v1/namespaces/default/secrets", &secret).await.expect(201);
        for version in ["v1", "v1beta1"] {
            let accept = format!("application/json;as=Table;v={version};g=meta.k8s.io");
            for path in [WIDGETS, "/api/v1/secrets", "/api/v1/namespaces"] {
                for include in ["None", "Metadata", "Object"] {
                    let path = format!("{path}?includeObject={include}");
                    let table = async |path: &str| {
                        api.request(Method::GET, path)
                            .header("accept", &accept)
                            .send()
                            .await
                            .expect(200)
                    };
                    let plain = table(&path).await;
                    assert_eq!(plain.json["apiVersion"], format!("meta.k8s.io/{version}"));
                    assert_eq!(plain.json, table(&format!("{path}&pretty=true")).await.json);
                }
            }
        }
    });
}

#[test]
fn metadata_alone_comes_on_request() {
    test(|api| async move {
        api.post(CONFIG_MAPS, &config_map("a", json!({"k": "v"}))).await.expect(201);
        let accept = |what: &str| format!("application/json;as={what};v=v1;g=meta.k8s.io");
        let list = api.request(Method::GET, CONFIG_MAPS);
        let list =
            list.header("accept", &accept("PartialObjectMetadataList")).send().await.expect(200);
        assert_eq!(list.json["items"][0]["kind"], "PartialObjectMetadata");
        assert!(list.json["items"][0].get("data").is_none());
        let wrong = api.request(Method::GET, CONFIG_MAPS);
        wrong.header("accept", &accept("PartialObjectMetadata")).send().await.expect(406);
    });
}

#[test]
fn large_lists_are_compressed_and_whole() {
    test(|api| async move {
        for number in 0..30 {
            let object = config_map(&format!("c{number:02}"), json!({"k": "x".repeat(10_000)}));
            api.post(CONFIG_MAPS, &object).await.expect(201);
        }
        let plain = api.get(CONFIG_MAPS).await.expect(200);
        assert_eq!(plain.json["items"].as_array().unwrap().len(), 30);
        let packed = api.request(Method::GET, CONFIG_MAPS).header("accept-encoding", "gzip");
        let packed = packed.send().await.expect(200);
        assert_eq!(packed.headers["content-encoding"], "gzip");
        let mut bytes = Vec::new();
        flate2::read::GzDecoder::new(&packed.bytes[..]).read_to_end(&mut bytes).unwrap();
        assert_eq!(bytes, plain.bytes);
        let small = api.request(Method::GET, &format!("{CONFIG_MAPS}/c00"));
        let small = small.header("accept-encoding", "gzip").send().await.expect(200);
        assert!(!small.headers.contains_key("content-encoding"));
    });
}

#[test]
fn pretty_json_is_indented() {
    test(|api| async move {
        let pretty = api.get(&format!("{CONFIG_MAPS}?pretty=true")).await.expect(200);
        assert!(pretty.bytes.starts_with(b"{\n"));
    });
}
