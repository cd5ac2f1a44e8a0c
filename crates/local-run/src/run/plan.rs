//! From a file to what the driver runs.

use api_kinds::{
    Freight, Promotion, annotations, collection::FreightReference, stage::FreightRequest,
    step::ExpressionVariable,
};
use core_rules::{
    actor::creator_of,
    promotion::{InflateError, inflate, reference},
};
use jiff::Timestamp;
use work_steps::{Subject, driver::Order};

use super::objects::Objects;

/// Why the Promotion of a file cannot be run.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("there is no Promotion in the file")]
    NoPromotion,
    #[error(
        "the Promotion has no steps, and Stage {0:?} with its promotion template is not in the file"
    )]
    NoSteps(String),
    #[error("Freight {name:?} is not in the file")]
    NoFreight { name: String },
    #[error("the Promotion names no Freight, and the file has {count} pieces: set spec.freight")]
    ChooseFreight { count: usize },
    #[error("the tasks of the Promotion cannot be put in their places")]
    Tasks(#[from] InflateError),
}

/// What the driver runs: the Promotion of the file, started at this time, known by this uid.
pub fn plan(objects: &Objects, uid: &str, started_at: Timestamp) -> Result<Order, PlanError> {
    let promotion = objects.promotion.as_ref().ok_or(PlanError::NoPromotion)?;
    let stage = objects.stage(&promotion.spec.stage);
    let template = stage.and_then(|stage| stage.spec.promotion_template.as_ref());
    let written = if promotion.spec.steps.is_empty() {
        template
            .map(|template| template.spec.steps.as_slice())
            .ok_or_else(|| PlanError::NoSteps(promotion.spec.stage.clone()))?
    } else {
        &promotion.spec.steps
    };
    let mut vars: Vec<ExpressionVariable> = Vec::new();
    vars.extend(stage.iter().flat_map(|stage| stage.spec.vars.clone()));
    vars.extend(template.iter().flat_map(|template| template.spec.vars.clone()));
    vars.extend(promotion.spec.vars.iter().cloned());
    let target = target(objects, promotion)?;
    let freight = collection(objects, target);
    let requests = stage.map_or_else(
        || freight.iter().map(request).collect(),
        |stage| stage.spec.requested_freight.clone(),
    );
    let subject = Subject {
        project: objects.project().to_owned(),
        stage: promotion.spec.stage.clone(),
        promotion: promotion.metadata.name.clone().unwrap_or_else(|| format!("local-{uid}")),
        actor: creator_of(annotation(promotion, annotations::CREATE_ACTOR)).to_owned(),
        is_rollback: annotation(promotion, annotations::ROLLBACK) == "true",
        started_at,
        ui_base_url: String::new(),
        requests,
        freight,
        target_freight: target.map(reference).unwrap_or_default(),
        target_freight_alias: target.map(|freight| freight.alias.clone()).unwrap_or_default(),
    };
    let steps = inflate(written, &vars, &objects.tasks)?;
    Ok(Order { uid: uid.to_owned(), subject, steps, vars, target: None })
}

fn annotation<'a>(promotion: &'a Promotion, key: &str) -> &'a str {
    let annotations = promotion.metadata.annotations.as_ref();
    annotations.and_then(|annotations| annotations.get(key)).map(String::as_str).unwrap_or_default()
}

/// The Freight that is promoted: by name or alias, or the only piece of the file.
fn target<'a>(
    objects: &'a Objects,
    promotion: &Promotion,
) -> Result<Option<&'a Freight>, PlanError> {
    let wanted = promotion.spec.freight.as_str();
    if wanted.is_empty() {
        return match objects.freight.as_slice() {
            [] => Ok(None),
            [only] => Ok(Some(only)),
            several => Err(PlanError::ChooseFreight { count: several.len() }),
        };
    }
    let is_it = |freight: &&Freight| {
        freight.metadata.name.as_deref() == Some(wanted) || freight.alias == wanted
    };
    let found = objects.freight.iter().find(is_it);
    found.map(Some).ok_or_else(|| PlanError::NoFreight { name: wanted.to_owned() })
}

/// What the Stage will hold: the target, and the first piece of every other origin.
fn collection(objects: &Objects, target: Option<&Freight>) -> Vec<FreightReference> {
    let mut collection: Vec<FreightReference> = target.map(reference).into_iter().collect();
    for freight in &objects.freight {
        if collection.iter().all(|held| held.origin != freight.origin) {
            collection.push(reference(freight));
        }
    }
    collection
}

fn request(freight: &FreightReference) -> FreightRequest {
    FreightRequest { origin: freight.origin.clone(), ..FreightRequest::default() }
}
