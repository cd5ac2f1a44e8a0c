//! The one line that a table of Stages shows about what a Stage holds.

use api_kinds::collection::{FreightCollection, FreightReference};

/// The Freight's name when the Stage takes one origin and holds one piece; else for how many of the
/// `requested` origins it holds any.
pub fn freight_summary(requested: usize, current: Option<&FreightCollection>) -> String {
    let held: Vec<&FreightReference> =
        current.into_iter().flat_map(|collection| collection.freight.values()).collect();
    match held.as_slice() {
        [only] if requested == 1 => only.name.clone(),
        held => format!("{}/{requested} Fulfilled", held.len()),
    }
}
