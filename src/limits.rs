//! Every bound and default of chatwire, with its unit and its reason. Other docs link here.

/// Longest server-sent event, in bytes. A longer one ends the response with `limit_exceeded`.
/// 64 MiB holds any real tool output and keeps a peer that never ends a line from filling memory.
pub const MAX_EVENT_BYTES: usize = 64 * 1024 * 1024;

/// Deepest nesting of a JSON value, in containers. Deeper input is refused with `limit_exceeded`:
/// the scanners keep one entry per open container.
pub const MAX_JSON_DEPTH: usize = 512;

/// Most parts that one message may hold. The response that would exceed it ends with `limit_exceeded`.
pub const MAX_PARTS: usize = 100_000;

/// Most requests that a chat makes by itself since the last message of the user. A loop between a
/// client tool and a model that never ends is cut here; people's own sends start the count anew.
pub const MAX_AUTOMATIC_REQUESTS: u32 = 25;

/// Most reconnections in a row that bring nothing. Each waits twice as long as the one before.
pub const MAX_RECONNECTS: u32 = 5;

/// How long the first reconnection waits, in milliseconds.
pub const RECONNECT_DELAY: f64 = 500.0;

/// How long a reconnection waits at the most, in milliseconds.
pub const MAX_RECONNECT_DELAY: f64 = 8000.0;

/// Longest number in a JSON text that is followed while it grows, in bytes. The text of such a number
/// is handed out again after every delta, which is linear only below a bound. An `f64` has at most
/// 309 digits before its point.
pub const MAX_NUMBER_BYTES: usize = 1024;

/// About how long text is held back that is shown word by word, in milliseconds: each frame shows as
/// much of what has come as the frame is of this time. Long enough to even out what a server sends
/// in bursts, short enough to feel immediate.
pub const SMOOTHING: f64 = 160.0;

/// Most faults of messages that a check lists; all are counted. Enough to see what is wrong, and a
/// bound on what hostile messages make anyone keep.
pub const MAX_ISSUES: usize = 100;

/// How many bytes of UTF-8 make about one token of a model, where an app gives no estimator of its
/// own. English text has some four, other scripts and JSON fewer characters but more bytes each.
pub const BYTES_PER_TOKEN: usize = 4;

/// What a message costs beside its parts, in tokens: its role and the marks around it.
pub const MESSAGE_TOKENS: u64 = 4;

/// What an attachment is taken to cost, in tokens, unless the app says otherwise: about an image of a
/// million pixels. Its bytes say little about that, and are never looked at.
pub const ATTACHMENT_TOKENS: u64 = 1000;

/// From how many bytes on a string of base64 in a tool's input or output counts as an attachment.
pub const MIN_ATTACHMENT_BYTES: usize = 1024;

/// Longest name that is quoted from a message in a one-line stub, in characters.
pub const MAX_STUB_NAME: usize = 64;

/// Most operations of a patch that is reviewed. A person reads a few dozen; each is compared with the
/// arrays that it leads through.
pub const MAX_OPERATIONS: usize = 2_000;

/// Longest value in a row of a review, in characters.
pub const MAX_SHOWN_VALUE: usize = 80;
