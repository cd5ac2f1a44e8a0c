//! A server that follows a script, and a clock that waits for nobody.

mod clock;
mod script;

pub use clock::SwiftClock;
pub use script::Script;
