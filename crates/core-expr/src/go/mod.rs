//! How upstream's runtime reads and writes numbers, texts and values. Results of expressions are
//! compared byte by byte with what it writes, so its rules are written out here.

mod case;
mod number;
mod print;
mod quote;

pub(crate) use case::{is_digit, is_letter, to_lower, to_upper};
pub(crate) use number::{format_float, json_float, parse_bool, parse_float, parse_int};
pub(crate) use print::plain_text;
pub(crate) use quote::quote;
