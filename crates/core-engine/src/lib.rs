//! The state machine of a promotion: what runs next, retries, timeouts, and the final phase.
