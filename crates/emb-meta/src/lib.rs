//! The vocabulary of the embedded API server: what a reply says when something is wrong, how resources are named, and
//! what every object's metadata must look like. No I/O, no state; every other `emb-*` crate speaks in these words.

mod field;
mod name;
mod object;
mod resource;
mod status;
pub mod validate;

pub use field::{FieldError, FieldErrorKind, FieldPath};
pub use name::{
    NameRule, dns_1035_label_problem, dns_1035_label_problems, dns_1035_prefix_problems,
    label_value_problems, qualified_name_problems,
};
pub use object::{ObjectExt, OwnerReference};
pub use resource::{GroupKind, GroupResource, GroupVersion, GroupVersionKind, Scope};
pub use status::{Cause, Details, Reason, Status};
