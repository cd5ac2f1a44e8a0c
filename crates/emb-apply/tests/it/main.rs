//! Whole histories of objects, as a reference server answered them.

#[cfg(test)]
mod recorded;
