//! The server under test, and requests to it.

use std::{collections::BTreeMap, sync::Arc};

use anyhow::{Context, Result, ensure};
use dev_testkit::{Client, Kubeconfig, Reply};
use http::Method;
use serde_json::Value;
use tokio::sync::Mutex;

use crate::{
    actor::{self, ADMINISTRATOR, Actor},
    object::{Located, locate, merge},
    table::{Engine, Row},
};

/// The server under test, shared by all scenes.
pub(crate) struct Suite {
    pub(crate) engine: Engine,
    /// Tells apart the Projects of two runs on one server.
    pub(crate) run: String,
    kubeconfig: Kubeconfig,
    administrator: Actor,
    accounts: Mutex<BTreeMap<String, Arc<Actor>>>,
}

impl Suite {
    pub(crate) async fn new(engine: Engine, kubeconfig: &Kubeconfig) -> Result<Self> {
        let run = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis();
        Ok(Self {
            engine,
            run: format!("{:x}", run & 0xff_ffff),
            kubeconfig: kubeconfig.clone(),
            administrator: Actor::administrator(kubeconfig).await?,
            accounts: Mutex::default(),
        })
    }

    /// Makes people and controllers known; those of an earlier run stay.
    pub(crate) async fn install(&self) -> Result<()> {
        for object in actor::objects() {
            let located = locate(&object, "")?;
            let reply = self.post(&located).await?;
            let is_there = reply.status.is_success() || reply.status.as_u16() == 409;
            ensure!(is_there, "create {}: {}", located.path, reply.text());
        }
        Ok(())
    }

    /// Creates an object as the administrator.
    pub(crate) async fn create(&self, located: &Located) -> Result<Value> {
        let reply = self.post(located).await?;
        ensure!(reply.status.is_success(), "create {}: {}", located.path, reply.text());
        Ok(reply.json())
    }

    /// Posts an object as the administrator.
    pub(crate) async fn post(&self, located: &Located) -> Result<Reply> {
        self.client().json(Method::POST, &located.collection, &located.body).await
    }

    /// The administrator's client.
    pub(crate) fn client(&self) -> &Client {
        &self.administrator.client
    }

    /// The caller that a word stands for.
    pub(crate) async fn actor(&self, word: &str) -> Result<Actor> {
        if word == ADMINISTRATOR {
            return Ok(self.administrator.clone());
        }
        if let Some(known) = self.accounts.lock().await.get(word) {
            return Ok(Actor::clone(known));
        }
        let actor = Actor::account(&self.kubeconfig, self.client(), word).await?;
        self.accounts.lock().await.insert(word.to_owned(), Arc::new(actor.clone()));
        Ok(actor)
    }

    /// Sends the request of a row.
    pub(crate) async fn send(&self, row: &Row, actor: &Actor, home: &str) -> Result<Reply> {
        let client = &actor.client;
        if let Some(short) = &row.create {
            let located = locate(short, home)?;
            return match short.get("body") {
                Some(body) => client.json(Method::POST, &located.path, body).await,
                None => {
                    client.json(Method::POST, &query(row, &located.collection), &located.body).await
                }
            };
        }
        if let Some(short) = &row.update {
            let located = locate(short, home)?;
            let mut object = self.read(&located.path).await?;
            merge(&mut object, &short["set"]);
            return client.json(Method::PUT, &query(row, &located.path), &object).await;
        }
        if let Some(short) = &row.patch {
            let path = query(row, &locate(short, home)?.path);
            let headers = [("content-type", "application/merge-patch+json")];
            return client.send(Method::PATCH, &path, &headers, short["set"].to_string()).await;
        }
        if let Some(short) = &row.delete {
            let path = query(row, &locate(short, home)?.path);
            return match short.get("body") {
                Some(options) => client.json(Method::DELETE, &path, options).await,
                None => client.send(Method::DELETE, &path, &[], String::new()).await,
            };
        }
        let short = row.read.as_ref().context("the row asks for nothing")?;
        client.get(&locate(short, home)?.path).await
    }

    async fn read(&self, path: &str) -> Result<Value> {
        let reply = self.client().get(path).await?;
        ensure!(reply.status.is_success(), "read {path}: {}", reply.text());
        Ok(reply.json())
    }
}

fn query(row: &Row, path: &str) -> String {
    if row.dry_run { format!("{path}?dryRun=All") } else { path.to_owned() }
}
