//! The chat state machine.
//!
//! # Drive contract
//! The host tells the machine what happened (commands of the app, events of a transport, the
//! time) and after each call drains [`Chat::poll_output`] until it is empty, doing what each
//! output asks before taking the next. An app's callback may give new commands from inside; the
//! machine never runs ahead of a callback: what the transport delivered behind it waits until all
//! outputs are taken.
//!
//! The machine has no clock, makes no ids and does no I/O. Times are milliseconds of a clock that
//! the host chooses; a clock that goes backwards costs nothing but timing.
//!
//! # States
//! `ready → submitted → streaming → ready | error`. The status is `streaming` from the first
//! content on, not from `start`. At most one response is active.

mod apply;
mod auto_send;
mod changes;
mod check;
mod commands;
mod ending;
mod http;
mod list;
mod messages;
mod output;
mod queue;
mod recover;
mod render;
mod response;
mod resume;

use std::collections::VecDeque;

use crate::error::Error;
use crate::json::Text;
use crate::limits;
use crate::message::{self, Message, MessageKey};

pub use crate::message::ToolResult;
pub use auto_send::{AutoSendLimits, AutoSendReport, AutoSendRule};
pub use changes::{ChangeOp, Changes, OTHER_FIELD};
pub use commands::{MessageSource, NewMessage, SendMessage};
pub use http::ResponseHead;
pub use output::{
    CommandId, Finish, FinishedMessage, OpenRequest, Outcome, Output, RequestId, RequestKind,
    ValueCheck, Warning,
};
pub use queue::WhileBusy;
pub use recover::Recovery;
pub use render::Throttle;
pub use response::{StreamKind, TransportFailure};
pub use resume::Connection;

use auto_send::AutoSend;
use messages::Messages;
use queue::Queue;
use render::{Due, RenderSchedule, Smoothing};
use response::{PendingInput, Response};
use resume::Lost;

/// The status of a chat (AI SDK `ChatStatus`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Nothing is under way.
    Ready,
    /// A request was made, no content has come.
    Submitted,
    /// Content is coming.
    Streaming,
    /// The last response failed.
    Error,
}

impl Status {
    /// The status' word in the JavaScript API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Submitted => "submitted",
            Self::Streaming => "streaming",
            Self::Error => "error",
        }
    }
}

/// How a chat behaves. All defaults are those of [`Config::default`].
#[derive(Clone, Debug)]
pub struct Config {
    /// How often streamed changes are published. Default: once per frame.
    pub throttle: Throttle,
    /// Whether text is shown word by word while it comes, and at once when it is complete. See
    /// [`limits::SMOOTHING`]. Default: no.
    pub smooth: bool,
    /// What happens to a message that is sent while a response is under way. Default: it waits.
    pub while_busy: WhileBusy,
    /// When the chat continues by itself. Default: never.
    pub auto_send: Option<AutoSendRule>,
    /// What bounds that. Default: nothing but [`limits::MAX_AUTOMATIC_REQUESTS`].
    pub auto_send_limits: AutoSendLimits,
    /// When it goes on after an answer that is cut short, empty or lost. Default: never.
    pub recovery: Recovery,
    /// Whether the host wants to hear whether and why the chat continues. Default: no.
    pub report_auto_send: bool,
    /// Longest event of a stream, in bytes. Default: [`limits::MAX_EVENT_BYTES`].
    pub max_event_bytes: usize,
    /// Whether a lost connection is made again and a running response taken up. Default: no.
    pub resume: bool,
    /// Whether a request that is answered by 409 takes up the response that is running, instead of
    /// failing. Default: no.
    pub attach_on_conflict: bool,
    /// Whether tool calls that a stop left without an output stay so. Default: no, the next request
    /// reports them as stopped, since servers refuse a history that has such calls.
    pub keep_unfinished_tools: bool,
    /// Whether the app wants to hear of tool calls. Default: yes.
    pub report_tool_calls: bool,
    /// Whether the app wants to hear of data parts. Default: yes.
    pub report_data: bool,
    /// Whether the app has schemas for data parts. Default: no.
    pub check_data: bool,
    /// Whether the app has a schema for the metadata of messages. Default: no.
    pub check_metadata: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            throttle: Throttle::Frame,
            smooth: false,
            while_busy: WhileBusy::Queue,
            auto_send: None,
            auto_send_limits: AutoSendLimits::default(),
            recovery: Recovery::default(),
            report_auto_send: false,
            max_event_bytes: limits::MAX_EVENT_BYTES,
            resume: false,
            attach_on_conflict: false,
            keep_unfinished_tools: false,
            report_tool_calls: true,
            report_data: true,
            check_data: false,
            check_metadata: false,
        }
    }
}

/// One chat. See the [module](self) for how to drive it.
#[derive(Debug)]
pub struct Chat {
    config: Config,
    messages: Messages,
    status: Status,
    error: Option<Error>,
    outcome: Option<Outcome>,
    active: Option<Response>,
    connection: Connection,
    /// The server has not yet said that it cannot resume.
    can_resume: bool,
    /// The response that ended last with its connection.
    lost: Option<Lost>,
    input: PendingInput,
    queue: Queue,
    auto_send: AutoSend,
    /// The message with an answered approval whose request has not succeeded.
    pending_approval: Option<MessageKey>,
    /// The message whose tool calls a stop left without an output.
    stopped: Option<MessageKey>,
    /// The messages that the server ended as interrupted, and has not completed since.
    interrupted: Vec<MessageKey>,
    outputs: VecDeque<Output>,
    schedule: RenderSchedule,
    smoothing: Smoothing,
    now: f64,
    next_key: MessageKey,
    next_request: RequestId,
    next_command: CommandId,
    /// Events that were applied since they were last asked for.
    events: u32,
    disposed: bool,
}

impl Chat {
    /// A chat without messages.
    #[must_use]
    pub fn new(config: Config) -> Self {
        let schedule = RenderSchedule::new(config.throttle);
        Self {
            config,
            messages: Messages::default(),
            status: Status::Ready,
            error: None,
            outcome: None,
            active: None,
            connection: Connection::Idle,
            can_resume: true,
            lost: None,
            input: PendingInput::default(),
            queue: Queue::default(),
            auto_send: AutoSend::default(),
            pending_approval: None,
            stopped: None,
            interrupted: Vec::new(),
            outputs: VecDeque::new(),
            schedule,
            smoothing: Smoothing::default(),
            now: 0.0,
            next_key: 1,
            next_request: 1,
            next_command: 1,
            events: 0,
            disposed: false,
        }
    }

    /// The next thing to do; `None` when the machine waits for the host.
    #[must_use]
    pub fn poll_output(&mut self) -> Option<Output> {
        loop {
            match self.outputs.pop_front() {
                Some(Output::Decide(decision)) => {
                    if let Some(output) = self.evaluate_decision(decision) {
                        return Some(output);
                    }
                }
                Some(output) => return Some(output),
                None if self.process_pending_input() => {}
                None => return None,
            }
        }
    }

    /// The time has come that an [`Output::WakeAt`] asked for.
    pub fn handle_time(&mut self, now: f64) {
        self.handle_frame(now);
    }

    /// A frame is about to be painted, or the time after which no frame is waited for has passed.
    pub fn handle_frame(&mut self, now: f64) {
        self.now = now;
        self.schedule.due();
        if self.has_changes() {
            self.publish();
        }
    }

    /// Takes what the view lacks. Call it for [`Output::Publish`].
    pub fn take_changes(&mut self, changes: &mut Changes) {
        changes.clear();
        self.schedule.published(self.now);
        if self.config.smooth {
            let share = if self.is_active() { self.smoothing.share(self.now) } else { 1.0 };
            self.messages.reveal(share);
        }
        self.messages.write_changes(changes);
        if self.config.smooth {
            let holds_back = self.messages.has_changes();
            self.smoothing.shown(self.now, !changes.arena.is_empty(), holds_back);
            if holds_back {
                let due = self.schedule.held_back(self.now);
                self.publish_at(due);
            }
        }
        if let Some(slots) = self.queue.take_changed_slots() {
            changes.write_queue(slots.into_iter());
        }
    }

    /// How many events of streams were applied since the last call.
    #[must_use]
    pub fn take_event_count(&mut self) -> u32 {
        std::mem::take(&mut self.events)
    }

    /// The status.
    #[must_use]
    pub fn status(&self) -> Status {
        self.status
    }

    /// The error, when the status is [`Status::Error`].
    #[must_use]
    pub fn error(&self) -> Option<&Error> {
        self.error.as_ref()
    }

    /// How the last response ended; `None` before the first one and while one is active.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The messages.
    #[must_use]
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The messages as one JSON array, their exact text.
    #[must_use]
    pub fn export_messages(&self) -> String {
        message::messages_to_json(self.messages.iter())
    }

    /// The exact JSON text of one message.
    #[must_use]
    pub fn export_message(&self, key: MessageKey) -> Option<String> {
        self.position(key).and_then(|index| self.messages.get(index)).map(Message::to_json)
    }

    /// Whether queued messages wait for [`Chat::resume_queue`] or the next send.
    #[must_use]
    pub fn is_queue_paused(&self) -> bool {
        self.queue.is_paused()
    }

    // What the submodules share

    fn new_key(&mut self) -> MessageKey {
        let key = self.next_key;
        self.next_key += 1;
        key
    }

    fn new_command(&mut self) -> CommandId {
        let command = self.next_command;
        self.next_command += 1;
        command
    }

    fn position(&self, key: MessageKey) -> Option<usize> {
        self.messages.position(key)
    }

    fn position_of_id(&self, id: &Text) -> Option<usize> {
        self.messages.iter().position(|message| message.id() == id)
    }

    fn has_changes(&self) -> bool {
        self.messages.has_changes() || self.queue.is_changed()
    }

    /// Makes the present state visible before anything else happens.
    fn publish(&mut self) {
        if self.outputs.back() != Some(&Output::Publish) {
            self.outputs.push_back(Output::Publish);
        }
    }

    /// Makes the present state visible when the throttle says so.
    fn publish_when_due(&mut self) {
        let due = self.schedule.changed(self.now);
        self.publish_at(due);
    }

    fn publish_at(&mut self, due: Due) {
        match due {
            Due::Now => self.publish(),
            Due::AtFrame => self.outputs.push_back(Output::RequestFrame),
            Due::At(time) => self.outputs.push_back(Output::WakeAt(time)),
            Due::AlreadyAsked => {}
        }
    }

    fn set_status(&mut self, status: Status) {
        if self.status != status {
            self.status = status;
            self.publish();
        }
    }

    fn settle(&mut self, command: CommandId, error: Option<Error>) {
        self.outputs.push_back(Output::Settle { command, error });
    }

    fn warn(&mut self, code: &'static str, message: impl Into<String>) {
        self.outputs.push_back(Output::Warning(Warning { code, message: message.into() }));
    }
}
