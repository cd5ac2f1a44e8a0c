//! The store as its users see it: against a naive model, and under many writers and watchers.

#[cfg(test)]
mod load;
#[cfg(test)]
mod model;
