//! What an agent's server does with the same messages as its clients: pure functions over messages,
//! to be used natively and, by the package's `chatwire/agent`, in Node.
//!
//! | function | what it does |
//! |---|---|
//! | [`merge_client_tool_responses`] | takes tool outputs and approval answers from a client's message, and nothing else |

mod merge;

pub use merge::{MergeOptions, Merged, RejectReason, Rejection, merge_client_tool_responses};
