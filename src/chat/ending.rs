//! How the active response ends, and what follows.

use crate::error::{Error, ErrorKind};
use crate::json::Text;
use crate::message::ToolState;
use crate::protocol::ui_stream::Fold;

use super::apply::target;
use super::output::{CommandId, Finish, FinishedMessage, Outcome, Output};
use super::response::{End, PendingInput, StreamKind, TransportFailure};
use super::resume::Connection;
use super::{Chat, Status};

impl Chat {
    pub(super) fn fail_response(&mut self, error: Error) {
        self.abort_request();
        self.end_response(Outcome::Error, None, Some(error));
    }

    pub(super) fn abort_request(&mut self) {
        if let Some(response) = &self.active {
            self.outputs.push_back(Output::AbortRequest(response.request));
        }
    }

    /// The stream has ended: decides how.
    pub(super) fn apply_end(&mut self, end: End) {
        let Some(response) = self.active.as_ref() else { return };
        let is_complete = response.saw_finish || response.saw_done;
        let is_interrupted = response.fold.finish_reason() == Some("interrupted");
        match end {
            _ if is_complete && is_interrupted => {
                self.end_response(Outcome::Interrupted, None, None);
            }
            End::Fault(error) => self.fail_response(error),
            _ if is_complete => self.end_response(Outcome::Complete, None, None),
            End::Clean if self.looks_complete() => {
                self.warn(
                    "missing_end",
                    "The stream ended without finish or [DONE]; it was taken as complete because nothing was open.",
                );
                self.end_response(Outcome::Complete, None, None);
            }
            End::Clean => {
                let message =
                    "The stream ended before the response was complete. Resume or retry it.";
                let error = Error::new(ErrorKind::Truncated, message);
                self.end_or_reconnect(Outcome::Truncated, error);
            }
            End::Failure(TransportFailure::Connection(message)) => {
                let error = Error::new(ErrorKind::ConnectionFailed, message);
                self.end_or_reconnect(Outcome::Disconnect, error);
            }
            End::Failure(TransportFailure::TimedOut(message)) => {
                let error = Error::new(ErrorKind::TimedOut, message);
                self.end_or_reconnect(Outcome::Disconnect, error);
            }
            End::Failure(TransportFailure::Aborted) => {
                self.end_response(Outcome::Aborted, None, None);
            }
            End::Failure(TransportFailure::EmptyBody) => {
                let error = Error::new(ErrorKind::EmptyResponse, "The response body is empty.");
                self.end_response(Outcome::Error, None, Some(error));
            }
            End::Failure(TransportFailure::Other(message)) => {
                let error = Error::new(ErrorKind::TransportFailed, message);
                self.end_response(Outcome::Error, None, Some(error));
            }
        }
    }

    /// Whether a stream that has no end marker by its nature ended where a response may end.
    fn looks_complete(&self) -> bool {
        let Some(response) = self.active.as_ref() else { return false };
        let may_lack_marker = response.stream == StreamKind::Chunks || !response.head.is_ui_stream;
        let Some(message) = self.position(response.key).and_then(|at| self.messages.get(at)) else {
            return false;
        };
        let parts = message.parts();
        let is_server_tool_open = parts.iter().any(|part| {
            part.tool_state() == Some(ToolState::InputAvailable) && part.is_provider_executed()
        });
        let step = parts.get(message.current_step()..).unwrap_or_default();
        let ends_in_results = !step.is_empty()
            && step.iter().all(|part| part.tool_state().is_some_and(ToolState::is_terminal));
        may_lack_marker
            && response.has_content
            && !response.fold.is_anything_open(message)
            && !is_server_tool_open
            && !ends_in_results
    }

    /// Ends the active response: the messages first, then the error, the status, the callback,
    /// and what follows.
    pub(super) fn end_response(
        &mut self,
        outcome: Outcome,
        reason: Option<Text>,
        error: Option<Error>,
    ) {
        self.leave_replay(outcome == Outcome::Complete || outcome == Outcome::Interrupted);
        // Without an error the app has detached.
        let may_be_resumed =
            outcome.is_disconnect() && (error.is_none() || self.may_be_taken_up_later());
        if outcome.is_disconnect() {
            self.remember_lost();
        }
        let Some(mut response) = self.active.take() else { return };
        self.connection = Connection::Idle;
        self.input = PendingInput::default();
        if let Some(replaced) = response.replaced.take()
            && !response.has_content
            && outcome != Outcome::Complete
        {
            self.put_back(replaced);
        }
        if let Some(usage) = &response.usage {
            self.auto_send.add_usage(usage);
        }
        let recovery = if may_be_resumed { None } else { self.due_recovery(&response, outcome) };
        let error = error.filter(|_| recovery.is_none());
        if !may_be_resumed
            && !matches!(outcome, Outcome::Complete | Outcome::Interrupted | Outcome::Error)
            && let Some(target) =
                target(&mut self.messages, &mut response.hidden, response.key, None)
        {
            Fold::close_open_parts(target.message);
        }
        if response.has_begun {
            self.outcome = Some(outcome);
        }
        if outcome == Outcome::Stopped {
            self.stopped = Some(response.key);
        }
        if outcome == Outcome::Complete {
            self.pending_approval = None;
        }
        let is_interrupted = response.fold.finish_reason() == Some("interrupted");
        if is_interrupted || outcome == Outcome::Complete {
            self.interrupted.retain(|&key| key != response.key);
        }
        if is_interrupted {
            self.interrupted.push(response.key);
        }
        if outcome != Outcome::Complete && response.has_begun && recovery.is_none() {
            self.queue.pause();
        }
        self.status = if error.is_some() { Status::Error } else { Status::Ready };
        self.error = error.clone();
        self.publish();
        if let Some(error) = error {
            self.outputs.push_back(Output::Error(error));
        }
        let message = match &response.hidden {
            Some(message) => FinishedMessage::Unlisted(message.to_json()),
            None => FinishedMessage::Listed(response.key),
        };
        if response.has_begun {
            self.outputs.push_back(Output::Finish(Finish {
                outcome,
                reason,
                finish_reason: response.fold.finish_reason().map(str::to_owned),
                usage: response.usage.clone(),
                message,
            }));
        }
        if let Some(rule) = recovery {
            self.recover(rule, response);
        } else if outcome == Outcome::Complete {
            self.continue_after_response(response.options, response.waiters);
        } else {
            self.tell_refusal("not-complete", "The response did not end complete.");
            self.finish_chain(response.waiters);
        }
    }

    /// The chain of requests that these commands began has ended.
    pub(super) fn finish_chain(&mut self, waiters: Vec<CommandId>) {
        for command in waiters {
            self.settle(command, None);
        }
        self.send_next_queued();
    }
}
