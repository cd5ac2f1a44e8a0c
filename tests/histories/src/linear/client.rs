//! A client that reads and writes a few ConfigMaps which all clients share.

use std::{collections::BTreeMap, sync::Arc, time::Instant};

use anyhow::{Context, Result};
use dev_testkit::Client;
use http::Method;
use serde_json::{Value, json};

use super::{
    door::ask,
    record::{Record, Version, What},
};
use crate::dice::Dice;

/// How many objects there are.
const OBJECTS: usize = 4;
const CONFIG_MAPS: &str = "/api/v1/namespaces/default/configmaps";
const MINE: &str = "/api/v1/namespaces/default/configmaps?labelSelector=register";

/// One client during one life of the server.
pub(crate) struct Worker {
    client: Client,
    dice: Dice,
    record: Arc<Record>,
    /// The next value that it writes; nobody else writes it.
    value: u64,
    /// The revision at which it saw each object last.
    known: BTreeMap<usize, u64>,
}

impl Worker {
    pub(crate) fn new(
        client: Client,
        number: usize,
        life: u32,
        seed: u64,
        record: Arc<Record>,
    ) -> Result<Self> {
        let number = u64::try_from(number)?;
        let stream = seed.wrapping_mul(1_000_003) + u64::from(life) * 1009 + number;
        let value = (u64::from(life) * 100 + number) * 1_000_000;
        Ok(Self { client, dice: Dice::new(stream), record, value, known: BTreeMap::new() })
    }

    /// Works until the server is gone.
    pub(crate) async fn run(mut self) {
        while self.step().await.is_ok() {}
    }

    async fn step(&mut self) -> Result<()> {
        let object = self.dice.below(OBJECTS);
        match self.dice.below(10) {
            0..=3 => self.read(object).await,
            4 | 5 => self.list().await,
            6 | 7 => self.replace(object).await,
            _ => self.patch(object).await,
        }
    }

    async fn read(&mut self, object: usize) -> Result<()> {
        let asked = Instant::now();
        let path = format!("{CONFIG_MAPS}/register-{object}");
        let (status, found) = ask(&self.client, Method::GET, &path, &Value::Null).await?;
        if status == 404 {
            return self.create(object).await;
        }
        let version = version(&found)?;
        self.known.insert(object, version.revision);
        self.record.add(asked, What::Read { object, version });
        Ok(())
    }

    async fn list(&mut self) -> Result<()> {
        let asked = Instant::now();
        let (_, list) = ask(&self.client, Method::GET, MINE, &Value::Null).await?;
        let mut versions = BTreeMap::new();
        for item in list.get("items").and_then(Value::as_array).context("no list")? {
            let name = item.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
            let object = name.trim_start_matches("register-").parse()?;
            versions.insert(object, version(item)?);
        }
        self.record.add(asked, What::Listed { revision: revision(&list)?, versions });
        Ok(())
    }

    async fn create(&mut self, object: usize) -> Result<()> {
        let body = self.body(object, None);
        self.write(Method::POST, CONFIG_MAPS, object, &body, None).await
    }

    /// A replacement of exactly the version that was seen last.
    async fn replace(&mut self, object: usize) -> Result<()> {
        let Some(after) = self.known.get(&object).copied() else { return self.read(object).await };
        let body = self.body(object, Some(after));
        let path = format!("{CONFIG_MAPS}/register-{object}");
        self.write(Method::PUT, &path, object, &body, Some(after)).await
    }

    /// A change of whatever is there.
    async fn patch(&mut self, object: usize) -> Result<()> {
        let body = json!({"data": {"value": self.value.to_string()}});
        let path = format!("{CONFIG_MAPS}/register-{object}");
        self.write(Method::PATCH, &path, object, &body, None).await
    }

    fn body(&self, object: usize, revision: Option<u64>) -> Value {
        json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"value": self.value.to_string()},
            "metadata": {"name": format!("register-{object}"), "labels": {"register": "yes"},
                "resourceVersion": revision.map(|revision| revision.to_string())}})
    }

    async fn write(
        &mut self,
        method: Method,
        path: &str,
        object: usize,
        body: &Value,
        after: Option<u64>,
    ) -> Result<()> {
        let value = self.value;
        self.value += 1;
        let asked = Instant::now();
        match ask(&self.client, method, path, body).await {
            Ok((status, written)) if status < 300 => {
                let version = version(&written)?;
                self.known.insert(object, version.revision);
                self.record.add(asked, What::Wrote { object, version, after });
            }
            Ok((status, _)) if status < 500 => drop(self.known.remove(&object)),
            Ok(_) => self.record.add(asked, What::Tried { object, value }),
            Err(error) => {
                self.record.add(asked, What::Tried { object, value });
                return Err(error);
            }
        }
        Ok(())
    }
}

fn version(object: &Value) -> Result<Version> {
    let value = object.pointer("/data/value").and_then(Value::as_str).context("no value")?;
    Ok(Version { revision: revision(object)?, value: value.parse()? })
}

fn revision(object: &Value) -> Result<u64> {
    let revision = object.pointer("/metadata/resourceVersion").and_then(Value::as_str);
    Ok(revision.context("no revision")?.parse()?)
}
