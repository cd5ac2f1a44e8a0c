//! Steps that ask people, and the answers.

use api_rest::body::{RespondRequest, StepPrompt, StepResponse};
use http::Method;

use crate::{Client, Error, Route, client::Content};

impl Client {
    /// What a step of a Promotion asks.
    pub async fn step_prompt(
        &self,
        project: &str,
        promotion: &str,
        step: &str,
    ) -> Result<StepPrompt, Error> {
        self.get(&step_route(project, promotion, step).word("prompt")).await
    }

    /// Answers a step of a Promotion.
    pub async fn respond(
        &self,
        project: &str,
        promotion: &str,
        step: &str,
        answer: &RespondRequest,
    ) -> Result<StepResponse, Error> {
        let route = step_route(project, promotion, step).word("responses");
        let body = serde_json::to_value(answer).unwrap_or_default();
        self.exchange(Method::POST, &route, Content::Json(body)).await
    }
}

fn step_route(project: &str, promotion: &str, step: &str) -> Route {
    let promotion = Route::of(&["projects"]).name(project).word("promotions").name(promotion);
    promotion.word("steps").name(step)
}
