//! What an agent's server does with the same messages as its clients: pure functions over messages,
//! to be used natively and, by the package's `chatwire/agent`, in Node.
//!
//! | function | what it does |
//! |---|---|
//! | [`merge_client_tool_responses`] | takes tool outputs and approval answers from a client's message, and nothing else |
//! | [`apply_step`] | folds the chunks of a step into the draft that the server stores |
//! | [`prune_context`] | makes messages fit a model's context |
//! | [`repair_tool_input`] | puts right what models get wrong in JSON and in the paths of a patch |
//! | [`review_patch`] | what a patch would do to a document, for the person who approves it |

mod error;
mod merge;
mod prune;
mod repair;
mod review;
mod step;

pub use error::{AgentError, ChunkFault};
pub use merge::{MergeOptions, Merged, RejectReason, Rejection, merge_client_tool_responses};
pub use prune::{Applied, Estimator, PruneOptions, Pruned, Tier, prune_context};
pub use repair::{GiveUp, Repair, RepairOptions, Repaired, repair_readings, repair_tool_input};
pub use review::{Conflict, ConflictKind, ReviewedPatch, Row, RowFault, RowKind, review_patch};
pub use step::{AppliedStep, apply_step};
