//! Every decision of the domain exists once, here, as a pure function of plain values.
//!
//! Controllers, admission, REST and command line ask these functions; none of them reads a clock,
//! draws randomness or talks to anything. Time and entropy arrive as arguments.
//!
//! One module per noun: names and identities of [`freight`] and [`promotion`]s, aliases of
//! [`step`]s, what [`actor`]s are called, what [`stage`]s take and hold, how their [`health`] is, the
//! [`request`]s people leave in annotations, the addresses of webhook [`receiver`]s, the contents of
//! [`replica`]s, what a [`subscription`] selects and what a [`warehouse`] makes of it, what a
//! [`selector`] selects. Whether Freight may enter a Stage is for the [`gate`] to say, also for
//! [`auto_promotion`]. Who may do what is a matter of [`access`], what goes when nobody needs it one
//! of [`retention`].
//! What a write is changed to, refused or warned for is said by [`admission`]. What Applications of Argo CD
//! allow and need is in [`argo_cd`], how AnalysisRuns are made in [`verification`] and carried out in
//! [`analysis`]. What happened is told to others as an [`event`].
//!
//! What the REST API does beyond that is here too, so that its handlers only carry out: the [`action`]s
//! of people, their answers to the [`prompt`]s of steps, [`resource`]s of any kind in one request,
//! [`listing`]s in portions, lists of [`project`]s, [`link`]s, [`heartbeat`]s, [`announcement`]s, the
//! [`version`]. Each refusal says what kind of [`fault`] it is.

pub mod access;
pub mod action;
pub mod actor;
pub mod admission;
pub mod analysis;
pub mod announcement;
pub mod argo_cd;
pub mod auto_promotion;
pub mod condition;
pub mod credential;
pub mod digest;
pub mod eligibility;
pub mod event;
pub mod fault;
pub mod freight;
pub mod gate;
pub mod health;
pub mod heartbeat;
pub mod link;
pub mod listing;
pub mod management;
pub mod overview;
pub mod project;
pub mod promotion;
pub mod prompt;
pub mod receiver;
pub mod replica;
pub mod request;
pub mod resource;
pub mod retention;
pub mod selector;
pub mod shard;
pub mod shorten;
pub mod stage;
pub mod step;
pub mod subscription;
pub mod ulid;
pub mod verification;
pub mod version;
pub mod warehouse;
pub mod wire_time;
