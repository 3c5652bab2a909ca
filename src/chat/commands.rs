//! What the app tells the chat to do.

use crate::error::{Error, ErrorKind};
use crate::json::{self, RawJson, Text};
use crate::message::{Message, MessageKey, Role, ToolResult, ToolState};

use super::output::{CommandId, Outcome, RequestKind};
use super::queue::WhileBusy;
use super::{Chat, Status};

/// A message that the app supplies: its JSON text, and the number of the app's own object, which
/// the view goes on showing.
#[derive(Clone, Debug)]
pub struct NewMessage {
    message: Message,
    pub(super) slot: u32,
}

impl NewMessage {
    /// A message from its JSON text, with `id`, `role` and `parts`.
    ///
    /// # Errors
    /// The text is no message ([`ErrorKind::InvalidMessage`]), or no JSON.
    pub fn parse(json: &str, slot: u32) -> Result<Self, Error> {
        let message = Message::parse(0, json).map_err(invalid_message)?;
        Ok(Self { message, slot })
    }

    /// The message's id.
    #[must_use]
    pub fn id(&self) -> &Text {
        self.message.id()
    }

    pub(super) fn with_key(mut self, key: MessageKey) -> Message {
        self.message.set_key(key);
        self.message.set_host_slot(self.slot);
        self.message
    }
}

/// A message of a list that the app sets.
#[derive(Clone, Debug)]
pub enum MessageSource {
    /// The message that the view shows under this key, unchanged.
    Key(MessageKey),
    /// A message that the app supplies.
    New(NewMessage),
}

/// What [`Chat::send_message`] sends.
#[derive(Clone, Debug, Default)]
pub struct SendMessage {
    /// The new message; without one the last message is submitted (again).
    pub message: Option<NewMessage>,
    /// The user message to replace; everything after it goes.
    pub replaces: Option<Text>,
    /// The app's options (host's number, 0 for none).
    pub options: u32,
}

impl Chat {
    /// Sends a message of the user. The command settles when the response, and all requests that
    /// follow from it, have ended.
    pub fn send_message(&mut self, now: f64, send: SendMessage) -> CommandId {
        self.now = now;
        let command = self.new_command();
        if let Err(error) = self.try_send(command, send) {
            self.settle(command, Some(error));
        }
        command
    }

    fn try_send(&mut self, command: CommandId, send: SendMessage) -> Result<(), Error> {
        self.check_usable()?;
        let SendMessage { message, replaces, options } = send;
        let Some(message) = message else { return self.submit_again(command, options) };
        if let Some(replaced) = replaces {
            return self.replace_and_send(command, message, &replaced, options);
        }
        if self.is_busy() {
            match self.config.while_busy {
                WhileBusy::Queue => {
                    self.queue.push(message, command, options);
                    self.publish();
                    return Ok(());
                }
                WhileBusy::Reject => return Err(busy()),
                WhileBusy::Interrupt => self.interrupt(),
            }
        }
        self.queue.resume();
        if self.queue.is_empty() {
            self.append_message(message);
            self.begin_user_request(
                RequestKind::Submit { message_id: None },
                options,
                vec![command],
            );
        } else {
            self.queue.push(message, command, options);
            self.send_next_queued();
        }
        Ok(())
    }

    /// Submits what is there: an answered approval first, else the last message.
    fn submit_again(&mut self, command: CommandId, options: u32) -> Result<(), Error> {
        if self.is_busy() {
            match self.config.while_busy {
                WhileBusy::Interrupt => self.interrupt(),
                WhileBusy::Queue | WhileBusy::Reject => return Err(busy()),
            }
        }
        let pending = self.pending_approval.and_then(|key| self.position(key));
        let answered = || {
            self.messages.iter().rposition(|message| {
                message.role() == Role::Assistant
                    && message
                        .parts()
                        .iter()
                        .any(|part| part.tool_state() == Some(ToolState::ApprovalResponded))
            })
        };
        let at = pending.or_else(answered).or_else(|| self.messages.len().checked_sub(1));
        let message_id =
            at.and_then(|at| self.messages.get(at)).map(|message| message.id().clone());
        self.queue.resume();
        self.begin_user_request(RequestKind::Submit { message_id }, options, vec![command]);
        Ok(())
    }

    fn replace_and_send(
        &mut self,
        command: CommandId,
        message: NewMessage,
        replaced: &Text,
        options: u32,
    ) -> Result<(), Error> {
        let at = self.position_of_id(replaced).ok_or_else(|| {
            invalid_argument(&["message with id ", &replaced.to_string_lossy(), " not found"])
        })?;
        if self.messages.get(at).map(Message::role) != Some(Role::User) {
            return Err(invalid_argument(&[
                "message with id ",
                &replaced.to_string_lossy(),
                " is not a user message",
            ]));
        }
        self.interrupt();
        self.queue.resume();
        self.truncate_messages(at);
        self.append_message(message);
        self.begin_user_request(
            RequestKind::Submit { message_id: Some(replaced.clone()) },
            options,
            vec![command],
        );
        Ok(())
    }

    /// Asks for another answer: to the message with this id, else to the last one. An assistant
    /// message is replaced, a user message is answered again; everything after it goes.
    pub fn regenerate(&mut self, now: f64, message_id: Option<Text>, options: u32) -> CommandId {
        self.now = now;
        let command = self.new_command();
        if let Err(error) = self.try_regenerate(command, message_id, options) {
            self.settle(command, Some(error));
        }
        command
    }

    fn try_regenerate(
        &mut self,
        command: CommandId,
        message_id: Option<Text>,
        options: u32,
    ) -> Result<(), Error> {
        self.check_usable()?;
        let at = match &message_id {
            Some(id) => self.position_of_id(id),
            None => self.messages.len().checked_sub(1),
        };
        let Some(key) = at.and_then(|at| self.messages.get(at)).map(Message::key) else {
            let id =
                message_id.map_or_else(|| String::from("undefined"), |id| id.to_string_lossy());
            return Err(invalid_argument(&["message ", &id, " not found"]));
        };
        self.interrupt();
        self.queue.resume();
        let at = self.position(key).unwrap_or(self.messages.len());
        let is_assistant = self.messages.get(at).map(Message::role) == Some(Role::Assistant);
        self.truncate_messages(if is_assistant { at } else { at + 1 });
        self.begin_user_request(RequestKind::Regenerate { message_id }, options, vec![command]);
        Ok(())
    }

    /// Attaches to a response that may be under way on the server.
    pub fn resume_stream(&mut self, now: f64, options: u32) -> CommandId {
        self.now = now;
        let command = self.new_command();
        match self.check_usable() {
            Err(error) => self.settle(command, Some(error)),
            Ok(()) if self.is_busy() => self.settle(command, None),
            Ok(()) if self.config.resume && !self.can_resume => self.settle(command, None),
            Ok(()) => {
                let kind = RequestKind::Resume { last_event_id: String::new() };
                self.begin_request(kind, options, vec![command]);
            }
        }
        command
    }

    /// Stops what is under way and pauses the queue. What was received stays.
    pub fn stop(&mut self, now: f64, label: Option<Text>) -> CommandId {
        self.now = now;
        let command = self.new_command();
        self.cancel_decision();
        self.queue.pause();
        self.publish();
        if self.is_active() {
            self.abort_request();
            self.end_response(Outcome::Stopped, label, None);
        } else {
            // The page's own tools may be running.
            self.restore_stopped();
        }
        self.settle(command, None);
        command
    }

    /// Closes the connection to what is under way. For the server nothing has ended: what it still
    /// has can be taken up later.
    pub fn detach(&mut self, now: f64) -> CommandId {
        self.now = now;
        let command = self.new_command();
        self.cancel_decision();
        self.queue.pause();
        self.publish();
        if self.is_active() {
            self.abort_request();
            self.end_response(Outcome::Disconnect, None, None);
        }
        self.settle(command, None);
        command
    }

    /// Leaves the state `error`.
    pub fn clear_error(&mut self) {
        if self.status == Status::Error {
            self.error = None;
            self.set_status(Status::Ready);
        }
    }

    /// Gives the result of a tool call that this client ran. A repeat of the same result changes
    /// nothing; another one is refused.
    pub fn add_tool_result(
        &mut self,
        now: f64,
        tool_call_id: &Text,
        result: &ToolResult,
        options: u32,
    ) -> CommandId {
        self.now = now;
        let command = self.new_command();
        match self.try_add_tool_result(tool_call_id, result) {
            Ok(Some(key)) => {
                self.publish();
                self.answer_given(key, command, options);
            }
            Ok(None) => self.settle(command, None),
            Err(error) => self.refuse(command, error),
        }
        command
    }

    /// The message that changed; `None` when the call already has this result.
    fn try_add_tool_result(
        &mut self,
        tool_call_id: &Text,
        result: &ToolResult,
    ) -> Result<Option<MessageKey>, Error> {
        self.check_usable()?;
        let found = self.messages.iter().enumerate().find_map(|(at, message)| {
            message.find_tool_call(tool_call_id).map(|index| (at, index))
        });
        let id = tool_call_id.to_string_lossy();
        let Some((at, index)) = found else {
            let message = ["No message has a tool call with the id \"", &id, "\"."].concat();
            return Err(Error::new(ErrorKind::UnknownToolCall, message));
        };
        let Some(message) = self.messages.edit(at) else { return Ok(None) };
        let key = message.key();
        let Some(part) = message.parts().get(index) else { return Ok(None) };
        if part.has_final_result() {
            return if part.has_result(result) {
                Ok(None)
            } else {
                Err(already_answered(&["tool call ", &id, " already has another result"]))
            };
        }
        if let Some(part) = message.edit_part(index) {
            part.set_result(result);
        }
        Ok(Some(key))
    }

    /// Answers an approval. A repeat of the same answer changes nothing; another one is refused.
    pub fn add_approval_response(
        &mut self,
        now: f64,
        approval_id: &Text,
        approved: bool,
        reason: Option<&Text>,
        options: u32,
    ) -> CommandId {
        self.now = now;
        let command = self.new_command();
        match self.try_answer_approval(approval_id, approved, reason) {
            Ok(Some(key)) => {
                self.pending_approval = Some(key);
                self.publish();
                self.answer_given(key, command, options);
            }
            Ok(None) => self.settle(command, None),
            Err(error) => self.refuse(command, error),
        }
        command
    }

    /// The message that changed; `None` when the approval already has this answer.
    fn try_answer_approval(
        &mut self,
        approval_id: &Text,
        approved: bool,
        reason: Option<&Text>,
    ) -> Result<Option<MessageKey>, Error> {
        self.check_usable()?;
        let found =
            self.messages.iter().enumerate().find_map(|(at, message)| {
                message.find_approval(approval_id).map(|index| (at, index))
            });
        let id = approval_id.to_string_lossy();
        let Some((at, index)) = found else {
            let message = ["No message has an approval with the id \"", &id, "\"."].concat();
            return Err(Error::new(ErrorKind::UnknownApproval, message));
        };
        let Some(message) = self.messages.edit(at) else { return Ok(None) };
        let key = message.key();
        let Some(part) = message.edit_part(index) else { return Ok(None) };
        if part.tool_state() != Some(ToolState::ApprovalRequested) {
            return if part.approved() == Some(approved) {
                Ok(None)
            } else {
                Err(already_answered(&["approval ", &id, " is already answered or withdrawn"]))
            };
        }
        let reason = reason.map(RawJson::string);
        part.answer_approval(None, approved, reason.as_ref().map(RawJson::as_str));
        Ok(Some(key))
    }

    /// Stops everything for good; later commands fail with the code `disposed`.
    pub fn dispose(&mut self) {
        if self.disposed {
            return;
        }
        self.cancel_decision();
        if self.is_active() {
            self.abort_request();
            self.end_response(Outcome::Stopped, None, None);
        }
        self.clear_queue();
        self.publish();
        self.disposed = true;
    }

    // What the submodules share

    /// Whether a response is under way, or a question whether to continue is open.
    pub(super) fn is_busy(&self) -> bool {
        self.is_active() || self.auto_send.is_open()
    }

    /// Ends what is under way in favour of a new command.
    pub(super) fn interrupt(&mut self) {
        self.cancel_decision();
        if self.is_active() {
            self.queue.pause();
            self.abort_request();
            self.end_response(Outcome::Stopped, None, None);
        }
    }

    /// Begins a request that a person asked for.
    pub(super) fn begin_user_request(
        &mut self,
        kind: RequestKind,
        options: u32,
        waiters: Vec<CommandId>,
    ) {
        self.auto_send.user_sends();
        self.begin_request(kind, options, waiters);
    }

    fn refuse(&mut self, command: CommandId, error: Error) {
        self.warn(error.kind.code(), error.message.clone());
        self.settle(command, Some(error));
    }

    fn check_usable(&self) -> Result<(), Error> {
        if self.disposed {
            return Err(Error::new(
                ErrorKind::Disposed,
                "The chat was disposed. Create a new one.",
            ));
        }
        Ok(())
    }
}

fn busy() -> Error {
    Error::new(
        ErrorKind::Busy,
        "A response is under way. Stop it first, or use whileBusy: \"queue\" or \"interrupt\".",
    )
}

fn invalid_argument(message: &[&str]) -> Error {
    Error::new(ErrorKind::InvalidArgument, message.concat())
}

fn already_answered(message: &[&str]) -> Error {
    Error::new(ErrorKind::AlreadyAnswered, message.concat())
}

/// A message that the app supplies must have an `id` and `parts`; other faults are those of JSON.
fn invalid_message(error: json::JsonError) -> Error {
    if error.kind == json::JsonErrorKind::Syntax && error.offset == 0 {
        return Error::new(
            ErrorKind::InvalidMessage,
            "A message must be an object with a string id and an array of parts that have a type.",
        );
    }
    error.into()
}
