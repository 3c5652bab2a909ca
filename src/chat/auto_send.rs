//! Continuing without the person: after tool outputs and approval answers.
//!
//! A request of its own needs something new from this client since the last request (a tool
//! output or an approval answer), so that a response that ends in the server's own results is
//! never sent back for ever, and there is a ceiling.

use crate::json::{self, Text};
use crate::limits;
use crate::message::predicates::{
    is_complete_with_approval_responses, is_complete_with_tool_calls,
};
use crate::message::{Message, MessageKey, PartKind, Role};

use super::output::{CommandId, Output, RequestKind};
use super::recover::Recovery;
use super::{Chat, Outcome};

/// When the chat continues by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AutoSendRule {
    /// When all tool calls of the last step have results.
    ToolCallsComplete,
    /// When all approvals of the last step are answered.
    ApprovalsAnswered,
    /// When the host's predicate says so ([`Output::Decide`]).
    Host,
}

impl AutoSendRule {
    /// The rule's word in the JavaScript API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ToolCallsComplete => "tool-calls-complete",
            Self::ApprovalsAnswered => "approvals-answered",
            Self::Host => "predicate",
        }
    }
}

/// What bounds the requests that the chat makes by itself since the last message of the user,
/// beside [`limits::MAX_AUTOMATIC_REQUESTS`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct AutoSendLimits {
    /// No more requests once the answers have so many steps. Default: any number.
    pub max_steps: Option<u32>,
    /// No more requests once the answers took so many tokens: `totalUsage`, else `usage`, of their
    /// metadata, with `totalTokens`, summed over the responses that continue one message. Default: any number.
    pub max_tokens: Option<u32>,
}

/// A limit that the chat has reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReachedLimit {
    Steps,
    Tokens,
    Requests,
}

/// Whether the chat continued by itself, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AutoSendReport {
    /// Whether it sends.
    pub send: bool,
    /// What decided, for programs.
    pub rule: &'static str,
    /// Why, for people.
    pub reason: &'static str,
}

/// What the host is asked before the chat continues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Asked {
    /// Whether the rule holds.
    Rule,
    /// For a message that asks for an answer again.
    Nudge,
}

/// A question that has no answer yet.
#[derive(Debug)]
pub(super) struct Decision {
    id: u32,
    asked: Asked,
    /// How many facts there were when the question was put.
    facts: u32,
    /// The message to be continued.
    message: Option<MessageKey>,
    pub(super) options: u32,
    /// Commands whose chain goes on with the next request, or ends.
    pub(super) chain: Vec<CommandId>,
    /// Commands that settle with the decision.
    asked_by: Vec<CommandId>,
}

/// What auto-send remembers.
#[derive(Default, Debug)]
pub(super) struct AutoSend {
    /// Tool outputs and approval answers so far.
    facts: u32,
    /// How many of them the last request knew.
    sent_facts: u32,
    /// What the chat did by itself since the person's last message.
    pub(super) requests_since_user: u32,
    used: Recovery,
    pub(super) nudges: Vec<MessageKey>,
    /// What the responses since then took, as far as the server told.
    tokens: u64,
    open: Option<Decision>,
    next_decision: u32,
}

impl AutoSend {
    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    pub(super) fn request_begins(&mut self) {
        self.sent_facts = self.facts;
    }

    pub(super) fn user_sends(&mut self) {
        self.requests_since_user = 0;
        self.used = Recovery::default();
        self.nudges.clear();
        self.tokens = 0;
    }

    /// How often each rule of recovery went on since the person's last message.
    pub(super) fn used(&mut self) -> &mut Recovery {
        &mut self.used
    }

    /// A response has told what it took.
    pub(super) fn add_usage(&mut self, usage: &str) {
        self.tokens = self.tokens.saturating_add(total_tokens(usage));
    }

    /// The open question, when it is this one.
    pub(super) fn take_open(&mut self, decision: u32, asked: Asked) -> Option<Decision> {
        self.open.take_if(|open| open.id == decision && open.asked == asked)
    }
}

impl Chat {
    /// Records a tool output or an approval answer, and asks whether to continue.
    pub(super) fn answer_given(&mut self, message: MessageKey, command: CommandId, options: u32) {
        self.auto_send.facts = self.auto_send.facts.wrapping_add(1);
        if self.config.auto_send.is_none()
            || self.is_active()
            || self.auto_send.is_open()
            || self.is_interrupted(message)
        {
            // The end of the response, or of the open decision, will see the answer.
            return self.settle(command, None);
        }
        self.ask(Asked::Rule, Some(message), options, Vec::new(), vec![command]);
    }

    /// A response is complete: asks whether to continue, else ends the chain.
    pub(super) fn continue_after_response(&mut self, options: u32, chain: Vec<CommandId>) {
        let message = self.messages.last().map(Message::key);
        let is_interrupted = message.is_some_and(|key| self.is_interrupted(key));
        if self.config.auto_send.is_some() && self.has_new_facts() && !is_interrupted {
            return self.ask(Asked::Rule, message, options, chain, Vec::new());
        }
        if is_interrupted {
            self.tell_refusal(
                "interrupted",
                "The server interrupted the response: a person goes on.",
            );
        } else {
            self.tell_refusal(
                "nothing-new",
                "Nothing new from this client since the last request.",
            );
        }
        self.finish_chain(chain);
    }

    /// Tells why the chat does not continue, where it would have.
    pub(super) fn tell_refusal(&mut self, rule: &'static str, reason: &'static str) {
        self.report(AutoSendReport { send: false, rule, reason });
    }

    pub(super) fn report(&mut self, report: AutoSendReport) {
        if self.config.auto_send.is_some() && self.config.report_auto_send {
            self.outputs.push_back(Output::AutoSend(report));
        }
    }

    /// Whether the server interrupted this message or the last one: only the person goes on then.
    fn is_interrupted(&self, message: MessageKey) -> bool {
        let last = self.messages.last().map(Message::key);
        self.interrupted.iter().any(|&key| key == message || Some(key) == last)
    }

    pub(super) fn has_new_facts(&self) -> bool {
        self.auto_send.facts != self.auto_send.sent_facts
    }

    pub(super) fn ask(
        &mut self,
        asked: Asked,
        message: Option<MessageKey>,
        options: u32,
        chain: Vec<CommandId>,
        asked_by: Vec<CommandId>,
    ) {
        let id = self.auto_send.next_decision;
        self.auto_send.next_decision = id.wrapping_add(1);
        let facts = self.auto_send.facts;
        self.auto_send.open =
            Some(Decision { id, asked, facts, message, options, chain, asked_by });
        self.outputs.push_back(match asked {
            Asked::Rule => Output::Decide(id),
            Asked::Nudge => Output::Nudge(id),
        });
    }

    /// A question comes up in the outputs: the core's own rules are answered here, the host's
    /// predicate is for the host.
    pub(super) fn evaluate_decision(&mut self, decision: u32) -> Option<Output> {
        if self.auto_send.open.as_ref().map(|open| open.id) != Some(decision) {
            return None;
        }
        let send = match self.config.auto_send? {
            AutoSendRule::Host => return Some(Output::Decide(decision)),
            AutoSendRule::ToolCallsComplete => is_complete_with_tool_calls(&self.messages),
            AutoSendRule::ApprovalsAnswered => is_complete_with_approval_responses(&self.messages),
        };
        self.handle_decision(decision, send);
        None
    }

    /// The answer to an [`Output::Decide`]. One that was overtaken is ignored.
    pub fn handle_decision(&mut self, decision: u32, send: bool) {
        let Some(open) = self.auto_send.take_open(decision, Asked::Rule) else { return };
        if !send && open.facts != self.auto_send.facts {
            // An answer came while the question was open: ask again.
            let Decision { message, options, chain, asked_by, .. } = open;
            return self.ask(Asked::Rule, message, options, chain, asked_by);
        }
        let target = open.message.and_then(|key| self.position(key));
        let message_id =
            target.and_then(|at| self.messages.get(at)).map(|message| message.id().clone());
        let rule = self.config.auto_send.map_or("", AutoSendRule::as_str);
        match message_id {
            Some(message_id) if send && !self.disposed && self.is_below_limits() => {
                let reason = "The rule holds, and an answer is new.";
                self.report(AutoSendReport { send, rule, reason });
                self.send_automatically(message_id, open.options, open.chain)
            }
            _ => {
                if !send {
                    self.tell_refusal(rule, "The rule does not hold.");
                }
                self.finish_chain(open.chain);
            }
        }
        for command in open.asked_by {
            self.settle(command, None);
        }
    }

    pub(super) fn send_automatically(
        &mut self,
        message_id: Text,
        options: u32,
        chain: Vec<CommandId>,
    ) {
        self.auto_send.requests_since_user += 1;
        self.begin_request(RequestKind::Submit { message_id: Some(message_id) }, options, chain);
    }

    /// Bounds what the chat sends by itself from now on.
    pub fn limit_auto_send(&mut self, limits: AutoSendLimits) {
        self.config.auto_send_limits = limits;
    }

    fn is_below_limits(&mut self) -> bool {
        match self.reached_limit() {
            Some(limit) => {
                self.tell_limit(limit);
                false
            }
            None => true,
        }
    }

    /// The limit that lets the chat send no more by itself.
    pub(super) fn reached_limit(&self) -> Option<ReachedLimit> {
        let AutoSendLimits { max_steps, max_tokens } = self.config.auto_send_limits;
        let user = self.messages.iter().rposition(|message| {
            message.role() == Role::User && !self.auto_send.nudges.contains(&message.key())
        });
        let answers = self.messages.get(user.map_or(0, |at| at + 1)..).unwrap_or_default();
        // A continued message has only the usage of its last response; a loaded one was not seen.
        let shown: u64 = answers.iter().map(tokens).fold(0, u64::saturating_add);
        let taken = shown.max(self.auto_send.tokens);
        if max_steps.is_some_and(|most| answers.iter().map(steps).sum::<usize>() >= most as usize) {
            Some(ReachedLimit::Steps)
        } else if max_tokens.is_some_and(|most| taken >= most.into()) {
            Some(ReachedLimit::Tokens)
        } else if self.auto_send.requests_since_user >= limits::MAX_AUTOMATIC_REQUESTS {
            Some(ReachedLimit::Requests)
        } else {
            None
        }
    }

    pub(super) fn tell_limit(&mut self, limit: ReachedLimit) {
        match limit {
            ReachedLimit::Steps => {
                self.tell_refusal("max-steps", "The answers have as many steps as they may.");
            }
            ReachedLimit::Tokens => {
                self.tell_refusal("token-ceiling", "The answers took as many tokens as they may.");
            }
            ReachedLimit::Requests => {
                self.tell_refusal(
                    "auto-send-limit",
                    "The chat continued by itself as often as it may.",
                );
                self.warn(
                    "auto_send_limit",
                    "The chat continued by itself as often as it may (limits::MAX_AUTOMATIC_REQUESTS, 25) since the last user message.",
                );
            }
        }
    }

    /// Drops an open question, as when the app stops the chat.
    pub(super) fn cancel_decision(&mut self) {
        if let Some(open) = self.auto_send.open.take() {
            for command in open.chain.into_iter().chain(open.asked_by) {
                self.settle(command, None);
            }
            self.outcome.get_or_insert(Outcome::Stopped);
        }
    }
}

fn steps(message: &Message) -> usize {
    message.parts().iter().filter(|part| part.kind() == PartKind::StepStart).count()
}

/// The tokens that a message took, as the server says in its metadata; 0 when it does not.
fn tokens(message: &Message) -> u64 {
    message.metadata().and_then(|metadata| usage(metadata.as_str())).map_or(0, total_tokens)
}

/// The usage of tokens (AI SDK `LanguageModelUsage`) in a message's metadata.
pub(super) fn usage(metadata: &str) -> Option<&str> {
    json::member(metadata, "totalUsage").or_else(|| json::member(metadata, "usage"))
}

fn total_tokens(usage: &str) -> u64 {
    json::member(usage, "totalTokens")
        .unwrap_or_default()
        .bytes()
        .take_while(u8::is_ascii_digit)
        .fold(0, |sum: u64, digit| sum.saturating_mul(10).saturating_add(u64::from(digit - b'0')))
}
