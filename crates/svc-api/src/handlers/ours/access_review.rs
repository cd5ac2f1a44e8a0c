//! What the caller may do, for interfaces that show only what will work.

use api_kinds::GROUP;
use api_rest::body::{AccessAnswer, AccessQuestion, AccessReviewRequest, AccessReviewResponse};
use core_rules::access::attributes::Attributes;
use futures::future::try_join_all;

use crate::{
    api_error::{ApiError, ApiResult},
    caller::Caller,
    document::Document,
    json::Json,
};

/// More questions than a page has.
const MAX_QUESTIONS: usize = 100;

/// Answers each question.
pub(super) async fn access_review(
    caller: Caller,
    Json(asked): Json<AccessReviewRequest>,
) -> ApiResult<Document> {
    if asked.items.len() > MAX_QUESTIONS {
        let text = format!("at most {MAX_QUESTIONS} questions at once");
        return Err(ApiError::bad_request(text));
    }
    let answers = asked.items.into_iter().map(|question| answer(&caller, question));
    Document::of(&AccessReviewResponse { items: try_join_all(answers).await? })
}

async fn answer(caller: &Caller, question: AccessQuestion) -> ApiResult<AccessAnswer> {
    if question.verb.is_empty() || question.resource.is_empty() {
        return Err(ApiError::bad_request("every question needs a verb and a resource"));
    }
    let attributes = Attributes {
        verb: question.verb.clone(),
        group: question.group.clone().unwrap_or_else(|| GROUP.to_owned()),
        resource: question.resource.clone(),
        subresource: question.subresource.clone(),
        namespace: question.project.clone(),
        name: question.name.clone(),
    };
    let reason = match caller.ask(&attributes).await {
        Ok(()) => None,
        Err(error) if error.status() == http::StatusCode::FORBIDDEN => {
            Some(error.message().to_owned())
        }
        Err(error) => return Err(error),
    };
    Ok(AccessAnswer { question, allowed: reason.is_none(), reason: reason.unwrap_or_default() })
}
