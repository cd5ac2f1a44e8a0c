//! The actions that move Freight.

use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{Client, Error, Kind, Object, Route, client::Content};

/// Which Freight to promote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FreightChoice {
    /// By name.
    Name(String),
    /// By alias.
    Alias(String),
    /// What automatic promotion would pick from this Warehouse.
    Warehouse(String),
}

/// What came of a promotion to all Stages behind one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DownstreamResult {
    /// Promotions and PromotionRequests that were created.
    pub created: Vec<Object>,
    /// What went wrong for the others; empty when all went well.
    pub errors: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct DownstreamAnswer {
    promotions: Option<Vec<Value>>,
    promotion_requests: Option<Vec<Value>>,
    errors: String,
}

impl FreightChoice {
    fn body(&self) -> Value {
        match self {
            Self::Name(name) => json!({ "freight": name }),
            Self::Alias(alias) => json!({ "freightAlias": alias }),
            Self::Warehouse(warehouse) => json!({ "origin": format!("Warehouse/{warehouse}") }),
        }
    }
}

impl Client {
    /// Promotes to a Stage; a Stage with Targets answers with a PromotionRequest.
    pub async fn promote(
        &self,
        project: &str,
        stage: &str,
        freight: &FreightChoice,
    ) -> Result<Object, Error> {
        let route = stage_route(project, stage).word("promotions");
        let body = Content::Json(freight.body());
        Ok(Object::of(Kind::PROMOTION, self.exchange(Method::POST, &route, body).await?))
    }

    /// Promotes to all Stages behind a Stage.
    pub async fn promote_downstream(
        &self,
        project: &str,
        stage: &str,
        freight: &FreightChoice,
    ) -> Result<DownstreamResult, Error> {
        let route = stage_route(project, stage).word("promotions").word("downstream");
        let body = Content::Json(freight.body());
        let answer: DownstreamAnswer = self.exchange(Method::POST, &route, body).await?;
        let of = |kind, values: Option<Vec<Value>>| {
            values.unwrap_or_default().into_iter().map(move |value| Object::of(kind, value))
        };
        let promotions = of(Kind::PROMOTION, answer.promotions);
        let created = promotions.chain(of(Kind::PROMOTION_REQUEST, answer.promotion_requests));
        Ok(DownstreamResult { created: created.collect(), errors: answer.errors })
    }

    /// Which versions of images the Stages of a Project have and had.
    pub async fn images(&self, project: &str) -> Result<Value, Error> {
        self.get(&Route::of(&["projects"]).name(project).word("images")).await
    }

    /// What a step of a Promotion told, by its position or its alias.
    pub async fn step_log(&self, project: &str, name: &str, step: &str) -> Result<String, Error> {
        let promotion = Route::of(&["projects"]).name(project).word("promotions").name(name);
        self.text(&promotion.word("steps").name(step).word("logs")).await
    }

    /// Ends a Promotion that has not ended.
    pub async fn abort_promotion(&self, project: &str, name: &str) -> Result<(), Error> {
        let route = Route::of(&["projects"]).name(project).word("promotions").name(name);
        self.act(Method::POST, &route.word("abort"), Content::None).await
    }

    /// Lets Freight into a Stage without verification.
    pub async fn approve(&self, project: &str, freight: &str, stage: &str) -> Result<(), Error> {
        let route = freight_route(project, freight).word("approve").query("stage", stage);
        self.act(Method::POST, &route, Content::None).await
    }

    /// Gives Freight another alias.
    pub async fn change_alias(
        &self,
        project: &str,
        freight: &str,
        alias: &str,
    ) -> Result<(), Error> {
        let route = freight_route(project, freight).word("alias").query("newAlias", alias);
        self.act(Method::PATCH, &route, Content::None).await
    }

    /// Verifies again what a Stage has.
    pub async fn verify(&self, project: &str, stage: &str) -> Result<(), Error> {
        let route = stage_route(project, stage).word("verification");
        self.act(Method::POST, &route, Content::None).await
    }

    /// Ends the verification that a Stage carries out.
    pub async fn abort_verification(&self, project: &str, stage: &str) -> Result<(), Error> {
        let route = stage_route(project, stage).word("verification").word("abort");
        self.act(Method::POST, &route, Content::None).await
    }
}

fn stage_route(project: &str, stage: &str) -> Route {
    Route::of(&["projects"]).name(project).word("stages").name(stage)
}

fn freight_route(project: &str, freight: &str) -> Route {
    Route::of(&["projects"]).name(project).word("freight").name(freight)
}
