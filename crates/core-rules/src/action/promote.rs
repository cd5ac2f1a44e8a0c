//! Promotion to one Stage.

use api_kinds::origin::FreightOrigin;
use api_kinds::{Freight, ObjectMeta, Promotion, PromotionRequest, Stage, Target, annotations};
use api_rest::body::{PromoteDownstream, PromoteToStage};
use core_clock::Time;

use super::COMPONENT;
use super::error::ActionError;
use crate::admission::metadata::{name, set_annotation};
use crate::event::{self, Event, Teller};
use crate::gate::{Arrival, Availability, availability};
use crate::stage::{Creation, governed_targets, is_target_aware};
use crate::ulid::Ulid;

/// What to promote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FreightChoice<'a> {
    /// The piece of this name.
    Name(&'a str),
    /// The piece of this alias.
    Alias(&'a str),
    /// The best piece of this origin.
    Origin(&'a str),
}

impl<'a> FreightChoice<'a> {
    /// The one choice that was made for a Stage.
    pub fn of(sent: &'a PromoteToStage) -> Result<Self, ActionError> {
        match (sent.freight.as_str(), sent.freight_alias.as_str(), sent.origin.as_str()) {
            (name, "", "") if !name.is_empty() => Ok(Self::Name(name)),
            ("", alias, "") if !alias.is_empty() => Ok(Self::Alias(alias)),
            ("", "", origin) if !origin.is_empty() => Ok(Self::Origin(origin)),
            _ => Err(ActionError::OneOfThree),
        }
    }

    /// The one choice that was made for the Stages behind one.
    pub fn of_downstream(sent: &'a PromoteDownstream) -> Result<Self, ActionError> {
        match (sent.freight.as_str(), sent.freight_alias.as_str()) {
            (name, "") if !name.is_empty() => Ok(Self::Name(name)),
            ("", alias) if !alias.is_empty() => Ok(Self::Alias(alias)),
            _ => Err(ActionError::OneOfTwo),
        }
    }

    /// The refusal when there is no such Freight.
    pub fn not_found(self, project: &str) -> ActionError {
        let project = project.to_owned();
        match self {
            Self::Name(freight) | Self::Origin(freight) => {
                ActionError::FreightNotFound { freight: freight.to_owned(), project }
            }
            Self::Alias(alias) => ActionError::AliasNotFound { alias: alias.to_owned(), project },
        }
    }
}

/// The object that promotes.
#[derive(Clone, Debug, PartialEq)]
pub enum Created {
    /// To the Stage.
    Promotion(Box<Promotion>),
    /// To each Target of the Stage.
    Request(Box<PromotionRequest>),
}

/// Promotes what automatic promotion would pick; admission decides what that is.
pub fn promote_origin(stage: &Stage, origin: &str, actor: &str) -> Result<Promotion, ActionError> {
    if is_target_aware(stage) {
        let stage = name(&stage.metadata).to_owned();
        return Err(ActionError::OriginWithTargets { stage });
    }
    let parsed: FreightOrigin = origin
        .parse()
        .map_err(|source| ActionError::Origin { origin: origin.to_owned(), source })?;
    let creation = Creation { origin: parsed.clone(), freight: String::new(), targets: Vec::new() };
    let mut promotion = creation.promotion(stage);
    promotion.spec.origin = Some(parsed);
    sign(&mut promotion.metadata, actor);
    Ok(promotion)
}

/// Promotes a piece of Freight. A Stage that selects Targets gets them as they are now.
pub fn promote_freight<'a>(
    arrival: &Arrival<'_>,
    targets: impl IntoIterator<Item = &'a Target, IntoIter: Clone>,
    id: Ulid,
    actor: &str,
) -> Result<Created, ActionError> {
    if availability(arrival) != Availability::Available {
        return Err(ActionError::NotAvailable {
            freight: name(&arrival.freight.metadata).to_owned(),
            stage: name(&arrival.stage.metadata).to_owned(),
        });
    }
    created(arrival.freight, arrival.stage, targets, id, actor)
}

/// The object that promotes available Freight.
pub(super) fn created<'a>(
    freight: &Freight,
    stage: &Stage,
    targets: impl IntoIterator<Item = &'a Target, IntoIter: Clone>,
    id: Ulid,
    actor: &str,
) -> Result<Created, ActionError> {
    let mut creation = Creation {
        origin: freight.origin.clone(),
        freight: name(&freight.metadata).to_owned(),
        targets: Vec::new(),
    };
    if !is_target_aware(stage) {
        let mut promotion = creation.promotion(stage);
        sign(&mut promotion.metadata, actor);
        return Ok(Created::Promotion(Box::new(promotion)));
    }
    let targets = governed_targets(stage, targets)?;
    creation.targets = targets.iter().map(|target| name(&target.metadata).to_owned()).collect();
    let mut request = creation.request(stage, id);
    sign(&mut request.metadata, actor);
    Ok(Created::Request(Box::new(request)))
}

/// What is told of a Promotion once it is created. Freight that could not be read is left out.
pub fn promotion_event(
    promotion: &Promotion,
    freight: Option<&Freight>,
    actor: &str,
    argocd_namespace: &str,
    now: Time,
) -> Event {
    let teller = Teller { component: COMPONENT, argocd_namespace, now };
    event::promotion_created(promotion, freight, actor, &teller)
}

fn sign(metadata: &mut ObjectMeta, actor: &str) {
    set_annotation(metadata, annotations::CREATE_ACTOR, Some(actor.to_owned()));
}
