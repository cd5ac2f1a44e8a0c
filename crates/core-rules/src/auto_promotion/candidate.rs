//! Which Freight automatic promotion picks.

use std::collections::BTreeMap;

use api_kinds::origin::FreightOrigin;
use api_kinds::stage::FreightRequest;
use api_kinds::{Freight, Stage};

use crate::freight::compare_age;
use crate::gate::is_matching_upstream;

/// The pick of each origin that the Stage asks for, out of what is selectable.
pub fn candidates<'a>(
    stage: &Stage,
    selectable: &[&'a Freight],
) -> BTreeMap<FreightOrigin, &'a Freight> {
    let requests = stage.spec.requested_freight.iter();
    requests
        .filter_map(|request| Some((request.origin.clone(), pick(request, selectable)?)))
        .collect()
}

/// The pick of one origin; `None` when the Stage does not ask for it or there is none.
pub fn candidate_of<'a>(
    stage: &Stage,
    origin: &FreightOrigin,
    selectable: &[&'a Freight],
) -> Option<&'a Freight> {
    let mut requests = stage.spec.requested_freight.iter();
    pick(requests.find(|request| request.origin == *origin)?, selectable)
}

/// The newest. Where the Stage before is to be matched, two pieces mean that it is changing over:
/// then none until it has.
fn pick<'a>(request: &FreightRequest, selectable: &[&'a Freight]) -> Option<&'a Freight> {
    let of_origin = selectable.iter().filter(|freight| freight.origin == request.origin);
    if is_matching_upstream(&request.sources) && of_origin.clone().count() > 1 {
        return None;
    }
    of_origin.copied().max_by(|a, b| compare_age(a, b))
}
