//! Going on after an answer that was cut short, is empty or was lost, where the app wants it.
//!
//! A rule goes on at most as often as the app says since the person's last message, within the
//! bounds of all automatic requests, and never after a stop, a denial or an interruption.

use crate::message::{Message, MessageKey, Part, PartKind, ToolState};
use crate::protocol::ui_stream::Fold;

use super::auto_send::Asked;
use super::commands::NewMessage;
use super::output::{Outcome, RequestKind};
use super::response::Response;
use super::{AutoSendReport, Chat};

/// How often each rule may go on since the person's last message. Default: never.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Recovery {
    /// After an answer whose finish reason is `length`: the same message is continued.
    pub continue_on_length: u32,
    /// After a complete answer without text, tool call, source, file or data: a message of the host
    /// ([`Output::Nudge`](super::Output::Nudge)) is sent.
    pub nudge_on_empty: u32,
    /// After a response that was truncated or lost its connection, and that is not taken up again:
    /// what it brought goes, and its request is made once more. When the new one brings nothing
    /// either, what went is put back.
    pub retry_stream: u32,
}

/// A rule that goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RecoveryRule {
    ContinueOnLength,
    NudgeOnEmpty,
    RetryStream,
}

impl RecoveryRule {
    fn as_str(self) -> &'static str {
        match self {
            Self::ContinueOnLength => "continue-on-length",
            Self::NudgeOnEmpty => "nudge-on-empty",
            Self::RetryStream => "retry-stream",
        }
    }

    fn reason(self) -> &'static str {
        match self {
            Self::ContinueOnLength => "The answer reached the model's limit of length.",
            Self::NudgeOnEmpty => "The answer is empty.",
            Self::RetryStream => "The stream ended before the response was complete.",
        }
    }

    fn count(self, recovery: &mut Recovery) -> &mut u32 {
        match self {
            Self::ContinueOnLength => &mut recovery.continue_on_length,
            Self::NudgeOnEmpty => &mut recovery.nudge_on_empty,
            Self::RetryStream => &mut recovery.retry_stream,
        }
    }
}

/// What a retried response had brought.
#[derive(Debug)]
pub(super) struct Replaced {
    message: Message,
    /// It was made by the response alone, so that it went from the list.
    is_removed: bool,
}

impl Chat {
    /// Says how often each rule may go on from now on.
    pub fn set_recovery(&mut self, recovery: Recovery) {
        self.config.recovery = recovery;
    }

    /// The rule that goes on after a response that ended so.
    pub(super) fn due_recovery(
        &mut self,
        response: &Response,
        outcome: Outcome,
    ) -> Option<RecoveryRule> {
        let from = response.continues_from.unwrap_or(0);
        let message = match &response.hidden {
            Some(message) => message,
            None => self.messages.get(self.position(response.key)?)?,
        };
        let rule = match outcome {
            Outcome::Complete if response.fold.finish_reason() == Some("length") => {
                RecoveryRule::ContinueOnLength
            }
            Outcome::Complete if is_empty(message, from) && !is_refusal(response) => {
                RecoveryRule::NudgeOnEmpty
            }
            Outcome::Truncated | Outcome::Disconnect
                if !matches!(response.kind, RequestKind::Resume { .. }) =>
            {
                RecoveryRule::RetryStream
            }
            _ => return None,
        };
        let is_denied = message.parts().iter().any(is_denied);
        let is_left = *rule.count(&mut self.config.recovery) > *rule.count(self.auto_send.used());
        if is_denied || self.has_new_facts() || self.disposed || !is_left {
            return None;
        }
        match self.reached_limit() {
            Some(limit) => {
                self.tell_limit(limit);
                None
            }
            None => Some(rule),
        }
    }

    /// Goes on by a rule.
    pub(super) fn recover(&mut self, rule: RecoveryRule, response: Response) {
        *rule.count(self.auto_send.used()) += 1;
        self.report(AutoSendReport { send: true, rule: rule.as_str(), reason: rule.reason() });
        let Response { key, kind, options, waiters, continues_from, hidden, .. } = response;
        match rule {
            RecoveryRule::ContinueOnLength => {
                let at = self.position(key);
                match at.and_then(|at| self.messages.get(at)).map(|message| message.id().clone()) {
                    Some(id) => self.send_automatically(id, options, waiters),
                    None => self.finish_chain(waiters),
                }
            }
            RecoveryRule::NudgeOnEmpty => {
                // Servers refuse a history with a message that has no parts.
                let at = self.position(key);
                if at.and_then(|at| self.messages.get(at)).is_some_and(|it| it.parts().is_empty()) {
                    self.take_back(key, None);
                }
                self.ask(Asked::Nudge, None, options, waiters, Vec::new());
            }
            RecoveryRule::RetryStream => {
                let replaced = match hidden {
                    Some(_) => None,
                    None => self.take_back(key, continues_from),
                };
                self.auto_send.requests_since_user += 1;
                self.begin_request(kind, options, waiters);
                if let Some(response) = self.active.as_mut() {
                    response.replaced = replaced;
                }
            }
        }
    }

    /// The message that an [`Output::Nudge`](super::Output::Nudge) asked for; without one the chat
    /// does not go on. One that was overtaken is ignored.
    pub fn handle_nudge(&mut self, decision: u32, message: Option<NewMessage>) {
        let Some(open) = self.auto_send.take_open(decision, Asked::Nudge) else { return };
        let Some(message) = message else { return self.finish_chain(open.chain) };
        let key = self.append_message(message);
        self.auto_send.nudges.push(key);
        self.auto_send.requests_since_user += 1;
        self.begin_request(RequestKind::Submit { message_id: None }, open.options, open.chain);
    }

    /// Removes what a response brought.
    fn take_back(&mut self, key: MessageKey, continues_from: Option<usize>) -> Option<Replaced> {
        let at = self.position(key)?;
        match continues_from {
            Some(from) => {
                let message = self.messages.get(at)?.clone();
                self.messages.edit(at)?.split_parts(from);
                Some(Replaced { message, is_removed: false })
            }
            None => {
                let message = self.messages.edit_list().remove(at);
                self.removed([message.clone()].into_iter());
                Some(Replaced { message, is_removed: true })
            }
        }
    }

    /// Puts back what a retried response had brought, when the retry brought nothing.
    pub(super) fn put_back(&mut self, replaced: Replaced) {
        let Replaced { message, is_removed } = replaced;
        if is_removed {
            // For the view it is a new message.
            let key = self.new_key();
            if let Ok(mut message) = Message::parse(key, &message.to_json()) {
                Fold::close_open_parts(&mut message);
                self.messages.edit_list().push(message);
            }
        } else if let Some(at) = self.position(message.key())
            && let Some(cut) = self.messages.edit(at)
        {
            let kept = cut.parts().len();
            for part in message.parts().iter().skip(kept) {
                cut.push_part(part.clone());
            }
            Fold::close_open_parts(cut);
        }
    }
}

/// Whether a response brought nothing for a person or a program.
fn is_empty(message: &Message, from: usize) -> bool {
    message.parts().iter().skip(from).all(|part| match part.kind() {
        PartKind::StepStart | PartKind::Reasoning => true,
        PartKind::Text => part.is_blank(),
        _ => false,
    })
}

/// Whether the model would not, or could not: to ask again changes nothing.
fn is_refusal(response: &Response) -> bool {
    matches!(response.fold.finish_reason(), Some("content-filter" | "error"))
}

fn is_denied(part: &Part) -> bool {
    part.approved() == Some(false) || part.tool_state() == Some(ToolState::OutputDenied)
}
