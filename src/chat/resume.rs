//! Taking a response up again: after a lost connection, and after a reload.
//!
//! A stream whose first event is `start` is a replay. It is folded beside the message that is shown
//! and takes its place when it has caught up, so that nothing on the page shrinks. Any other first
//! event goes on where the message ends.

use crate::error::{Error, ErrorKind};
use crate::json::Text;
use crate::limits;
use crate::message::{FieldName, Message, MessageKey, Part, PartKind, Role, ToolState};
use crate::protocol::ui_stream::{Chunk, ChunkKind, Fold, Key};
use crate::sse::SseParser;

use super::Chat;
use super::http::ResponseHead;
use super::output::{OpenRequest, Outcome, Output, RequestId, RequestKind};
use super::response::PendingInput;

/// How the chat is connected to a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Connection {
    /// No response is under way.
    Idle,
    /// A request is under way; one that resumes has found its stream.
    Open,
    /// The connection was lost; it is made again after a while.
    Reconnecting,
    /// The connection was lost and the device is offline; it is made again when that changes.
    Offline,
}

/// How a response is taken up again.
#[derive(Debug, Default)]
pub(super) struct Resume {
    /// What the first event of a resumed stream is to be compared with.
    shown: Option<Shown>,
    /// The message that is shown while a replay is folded beside it.
    replayed: Option<MessageKey>,
    /// Reconnections that brought nothing.
    attempts: u32,
    /// What ended the connection first.
    first_failure: Option<(Outcome, Error)>,
    /// The server says that there is nothing left to take up.
    is_over: bool,
    /// Data parts that were reported to the app, and those that a replay brings again.
    reported_data: usize,
    replayed_data: usize,
}

/// A response that ended with its connection: a later resume may still take it up.
#[derive(Debug)]
pub(super) struct Lost {
    shown: Shown,
    last_event_id: String,
}

/// The message that a resumed stream may go on with.
#[derive(Clone, Copy, Debug)]
struct Shown {
    key: MessageKey,
    /// The parts that were there before the response.
    parts_before: usize,
    is_unfinished: bool,
}

impl Resume {
    /// The response of a chat that was loaded with these messages: its last one may be part of it.
    pub(super) fn of_saved(last: Option<&Message>) -> Self {
        let shown = last.filter(|message| message.role() == Role::Assistant).map(|message| Shown {
            key: message.key(),
            parts_before: 0,
            is_unfinished: is_unfinished(message),
        });
        Self { shown, ..Self::default() }
    }

    /// A response that was lost before.
    pub(super) fn of_lost(lost: &Lost) -> Self {
        Self { shown: Some(lost.shown), ..Self::default() }
    }

    pub(super) fn is_replaying(&self) -> bool {
        self.replayed.is_some()
    }
}

fn is_unfinished(message: &Message) -> bool {
    message.parts().iter().any(|part| match part.tool_state() {
        Some(ToolState::InputStreaming | ToolState::ApprovalResponded) => true,
        Some(ToolState::InputAvailable) => part.is_provider_executed(),
        _ => part.is_streaming(),
    })
}

impl Chat {
    /// How the chat is connected.
    #[must_use]
    pub fn connection(&self) -> Connection {
        self.connection
    }

    /// Whether the active response may be taken up again after it has ended with its connection.
    pub(super) fn may_be_taken_up_later(&self) -> bool {
        let is_over = self.active.as_ref().is_none_or(|response| response.resume.is_over);
        self.config.resume && self.can_resume && !is_over
    }

    /// Keeps what a later resume needs of a response that ended with its connection.
    pub(super) fn remember_lost(&mut self) {
        let Some(response) = self.active.as_ref().filter(|response| response.hidden.is_none())
        else {
            return;
        };
        let shown = Shown {
            key: response.key,
            parts_before: response.continues_from.unwrap_or(0),
            is_unfinished: true,
        };
        let last_event_id = response.sse.last_event_id().to_owned();
        self.lost = Some(Lost { shown, last_event_id });
    }

    /// What an initial resume begins with: the response that was lost, when its message is still
    /// the last one, else the last message.
    pub(super) fn resume_from(&mut self) -> (Resume, String) {
        let last = self.messages.last();
        match self.lost.take() {
            Some(lost) if last.map(Message::key) == Some(lost.shown.key) => {
                (Resume::of_lost(&lost), lost.last_event_id)
            }
            _ => (Resume::of_saved(last), String::new()),
        }
    }

    /// The device went offline or came back.
    pub fn handle_online(&mut self, is_online: bool) {
        self.connection = match (self.connection, is_online) {
            (Connection::Reconnecting, false) => Connection::Offline,
            (Connection::Offline, true) => Connection::Reconnecting,
            (other, _) => other,
        };
        self.publish();
    }

    /// Makes the connection again that an [`Output::Reconnect`] announced.
    pub fn handle_reconnect(&mut self, now: f64, request: RequestId) {
        self.now = now;
        let is_due = matches!(self.connection, Connection::Reconnecting | Connection::Offline);
        if !is_due || self.response(request).is_none() {
            return;
        }
        let next = self.new_request();
        let Some(response) = self.active.as_mut() else { return };
        response.request = next;
        let kind = RequestKind::Resume { last_event_id: response.sse.last_event_id().to_owned() };
        let options = response.options;
        self.outputs.push_back(Output::OpenRequest(OpenRequest { request: next, kind, options }));
    }

    /// The answer says that there is nothing to resume.
    pub fn handle_nothing_to_resume(&mut self, request: RequestId) {
        let Some(response) = self.response(request) else { return };
        response.resume.is_over = true;
        match response.resume.first_failure.take() {
            Some((outcome, error)) => self.end_response(outcome, None, Some(error)),
            None => self.give_up_resume(),
        }
    }

    /// An initial resume found nothing: the chat is as before.
    fn give_up_resume(&mut self) {
        let Some(response) = self.active.take() else { return };
        self.connection = Connection::Idle;
        self.clear_error();
        self.publish();
        self.finish_chain(response.waiters);
    }

    /// The server says that a response is running: takes that one up in the place of an own one.
    fn attach(&mut self, conflict: Error) {
        let request = self.new_request();
        let Some(response) = self.active.as_mut() else { return };
        response.request = request;
        response.kind = RequestKind::Resume { last_event_id: String::new() };
        response.resume.first_failure = Some((Outcome::Error, conflict));
        response.await_resumed_stream();
        let (kind, options) = (response.kind.clone(), response.options);
        self.outputs.push_back(Output::OpenRequest(OpenRequest { request, kind, options }));
    }

    /// A request was answered with a failure. A server that cannot resume ends resuming for good.
    pub(super) fn handle_refusal(&mut self, error: Error) {
        let status = error.response.as_ref().map_or(0, |response| response.status);
        let Some(response) = self.active.as_mut() else { return };
        let is_initial = matches!(response.kind, RequestKind::Resume { .. });
        let is_reconnect = response.resume.first_failure.is_some();
        let is_new = !is_initial && !is_reconnect;
        if is_new && error.kind == ErrorKind::RunActive && self.config.attach_on_conflict {
            return self.attach(error);
        }
        if is_new {
            return self.end_response(Outcome::Error, None, Some(error));
        }
        if matches!(status, 404 | 405 | 501) {
            self.can_resume = false;
            let first = response.resume.first_failure.take();
            return match first {
                Some((outcome, error)) => self.end_response(outcome, None, Some(error)),
                None if self.config.resume => self.give_up_resume(),
                None => self.end_response(Outcome::Error, None, Some(error)),
            };
        }
        self.end_or_reconnect(Outcome::Error, error);
    }

    /// The connection is lost: makes it again when that may help, else ends the response.
    pub(super) fn end_or_reconnect(&mut self, outcome: Outcome, error: Error) {
        let may_reconnect = self.config.resume && self.can_resume && !self.disposed;
        let Some(response) = self.active.as_mut() else { return };
        response.resume.attempts += 1;
        let attempt = response.resume.attempts;
        let (outcome, error) =
            response.resume.first_failure.get_or_insert((outcome, error)).clone();
        if !may_reconnect || attempt > limits::MAX_RECONNECTS {
            return self.end_response(outcome, None, Some(error));
        }
        let request = response.request;
        let after = limits::RECONNECT_DELAY * f64::from(1 << (attempt - 1));
        self.leave_replay(false);
        self.input = PendingInput::default();
        if let Some(response) = self.active.as_mut() {
            response.await_resumed_stream();
        }
        self.connection = Connection::Reconnecting;
        self.publish();
        let after = after.min(limits::MAX_RECONNECT_DELAY);
        self.outputs.push_back(Output::Reconnect { request, after });
    }

    /// The first event of a resumed stream says whether it is a replay.
    pub(super) fn meet_first_event(&mut self, chunk: &Chunk<'_>) {
        let Some(response) = self.active.as_mut() else { return };
        response.resume.attempts = 0;
        response.resume.first_failure = None;
        let Some(shown) = response.resume.shown.take() else { return };
        let at = self.messages.position(shown.key);
        let Some(message) = at.and_then(|at| self.messages.edit(at)) else { return };
        let is_start = chunk.kind() == ChunkKind::Start;
        let is_same = match chunk.raw(Key::MessageId) {
            Some(_) => *message.id() == chunk.text(Key::MessageId),
            None => shown.is_unfinished,
        };
        if is_start && is_same {
            let mut replay = Message::assistant(shown.key, message.id().clone());
            for part in message.parts().iter().take(shown.parts_before) {
                replay.push_part(part.clone());
            }
            response.fold = Fold::new(&replay);
            response.hidden = Some(replay);
            response.resume.replayed = Some(shown.key);
            response.resume.replayed_data = response.resume.reported_data;
            response.key = shown.key;
        } else if !is_start {
            if response.key != shown.key {
                response.fold = Fold::new(message);
                response.hidden = None;
                response.key = shown.key;
            }
        } else if response.hidden.is_none() {
            // Another message begins; what is shown stays as it is.
            let key = self.new_key();
            let Some(response) = self.active.as_mut() else { return };
            let message = Message::assistant(key, Text::new());
            response.fold = Fold::new(&message);
            response.hidden = Some(message);
            response.continues_from = None;
            response.key = key;
        }
    }

    /// Puts the replay in the place of what is shown, once it has everything that is shown.
    pub(super) fn adopt_replay_when_caught_up(&mut self) {
        let Some(response) = self.active.as_ref() else { return };
        let (Some(key), Some(replay)) = (response.resume.replayed, &response.hidden) else {
            return;
        };
        let Some(shown) = self.position(key).and_then(|at| self.messages.get(at)) else { return };
        if has_caught_up(replay, shown) {
            self.leave_replay(true);
        }
    }

    /// Ends a replay: it takes the place of what is shown, or is dropped.
    pub(super) fn leave_replay(&mut self, adopt: bool) {
        let Some(response) = self.active.as_mut() else { return };
        let Some(key) = response.resume.replayed.take() else { return };
        let replay = response.hidden.take();
        let at = self.messages.position(key);
        if let (true, Some(mut replay), Some(shown)) =
            (adopt, replay, at.and_then(|at| self.messages.edit(at)))
        {
            keep_answers(&mut replay, shown);
            shown.take_over(replay);
        }
    }

    /// Whether a replayed tool call was shown with its complete input before: it was reported.
    pub(super) fn was_tool_call_shown(&self, tool_call_id: &Text) -> bool {
        let Some(key) = self.active.as_ref().and_then(|response| response.resume.replayed) else {
            return false;
        };
        let shown = self.position(key).and_then(|at| self.messages.get(at));
        shown.is_some_and(|message| {
            message
                .find_tool_call(tool_call_id)
                .and_then(|at| message.parts().get(at)?.tool_state())
                .is_some_and(|state| state != ToolState::InputStreaming)
        })
    }

    /// Whether a data part is one that a replay brings again; counts it.
    pub(super) fn was_data_reported(&mut self) -> bool {
        let Some(response) = self.active.as_mut() else { return false };
        let resume = &mut response.resume;
        let is_again = resume.replayed_data > 0;
        if is_again {
            resume.replayed_data -= 1;
        } else {
            resume.reported_data += 1;
        }
        is_again
    }
}

impl super::response::Response {
    /// The next stream takes this response up.
    fn await_resumed_stream(&mut self) {
        let last_event_id = self.sse.last_event_id().to_owned();
        self.sse = SseParser::resumed(self.sse.limit(), last_event_id);
        self.head = ResponseHead::default();
        self.repeated.clear();
        if self.hidden.is_none() {
            self.resume.shown = Some(Shown {
                key: self.key,
                parts_before: self.continues_from.unwrap_or(0),
                is_unfinished: true,
            });
        }
    }
}

/// Keeps the tool calls that are further in what is shown: a replay does not know which outputs and
/// decisions this client gave.
fn keep_answers(replay: &mut Message, shown: &Message) {
    for part in shown.parts() {
        let (Some(id), Some(state)) = (part.tool_call_id(), part.tool_state()) else { continue };
        let Some(at) = replay.find_tool_call(&id) else { continue };
        let replayed = replay.parts().get(at).and_then(|part| part.tool_state());
        if replayed.map(progress) < Some(progress(state))
            && let Some(replayed) = replay.edit_part(at)
        {
            *replayed = part.clone();
        }
    }
}

/// Whether a replay has everything that is shown.
fn has_caught_up(replay: &Message, shown: &Message) -> bool {
    let (Some(last), Some(last_shown)) = (replay.parts().last(), shown.parts().last()) else {
        return shown.parts().is_empty();
    };
    if replay.parts().len() != shown.parts().len() {
        return replay.parts().len() > shown.parts().len();
    }
    let is_behind = |shown: &Part, replay: &Part| {
        replay.tool_state() == Some(ToolState::InputStreaming)
            && (shown.tool_state() != replay.tool_state()
                || replay.text_length(FieldName::RawInput) < shown.text_length(FieldName::RawInput))
    };
    // What the client answered is never in the replay, but the input that it answered is.
    if shown.parts().iter().zip(replay.parts()).any(|(shown, replay)| is_behind(shown, replay)) {
        return false;
    }
    match last_shown.kind() {
        PartKind::Text | PartKind::Reasoning => {
            last.text_length(FieldName::Text) >= last_shown.text_length(FieldName::Text)
                && (last_shown.is_streaming() || !last.is_streaming())
        }
        _ => last.tool_state().map(progress) >= last_shown.tool_state().map(progress),
    }
}

/// The order in which a tool call goes through its states.
fn progress(state: ToolState) -> u8 {
    match state {
        ToolState::InputStreaming => 0,
        ToolState::InputAvailable => 1,
        ToolState::ApprovalRequested => 2,
        ToolState::ApprovalResponded => 3,
        ToolState::OutputAvailable | ToolState::OutputError | ToolState::OutputDenied => 4,
    }
}
