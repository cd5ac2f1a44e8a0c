//! One file per kind of step; files carry the name of the kind.

pub(crate) mod compose_output;
pub(crate) mod fail;
