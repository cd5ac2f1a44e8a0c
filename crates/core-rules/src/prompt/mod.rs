//! Steps of a Promotion that ask people: what they ask, who may answer, and what the answers come to.
//!
//! While such a step waits, its output holds the [`Prompt`], so that whoever sees the Promotion sees what it waits
//! for. Answers stand in an annotation of the Promotion, by the alias of the step, the oldest first: nobody but the
//! control plane writes it (see `admission`), and only what is asked for is taken ([`respond`]). Each answer tells
//! which rules its author met when they gave it; the step compares these with its own rules, whatever the status
//! of the Promotion says by then.

mod ask;
mod error;
mod respond;
mod response;
mod rule;
mod schema;
mod standing;
#[cfg(test)]
mod tests;

pub use api_rest::body::{ResponderRule, StepResponse};

pub use ask::{Ask, PROMPT, Prompt, prompt_of};
pub use error::ResponseError;
pub use respond::{Answer, Recorded, refusal, respond};
pub use response::{
    APPROVE, REJECT, Response, Responses, SUBMIT, UnreadableResponses, responses_of,
};
pub use rule::Responder;
pub use schema::{InputSchema, SchemaProblem, Violation};
pub use standing::{Standing, counted, standing};
