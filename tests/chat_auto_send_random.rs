//! Random streams and answers: the chat continues by itself exactly when it should.
//!
//! After every step it is computed apart from the machine whether a request was due: there is
//! something new from this client, nothing is under way, the response ended complete (or the answer
//! came while the chat was idle), the rule holds, nobody was interrupted, the ceiling is not reached.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeSet;

use chatwire::chat::{AutoSendLimits, AutoSendRule, Config, WhileBusy};
use chatwire::message::predicates::{
    is_complete_with_approval_responses, is_complete_with_tool_calls,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;
use support::host::Host;

#[derive(Clone, Debug)]
enum Step {
    Send,
    Submit,
    /// The server calls tools (`true`: with an approval), after a step of its own.
    Call(Vec<bool>),
    /// The server answers the newest open tool call.
    ServerOutput,
    Text,
    End(&'static str),
    Cut,
    Disconnect,
    Stop,
    /// The page answers a tool call, of the newest ones this one.
    Output(usize),
    Approve(usize, bool),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => Just(Step::Send),
        1 => Just(Step::Submit),
        6 => proptest::collection::vec(any::<bool>(), 1..3).prop_map(Step::Call),
        1 => Just(Step::ServerOutput),
        2 => Just(Step::Text),
        6 => select(vec!["stop", "tool-calls", "length", "interrupted"]).prop_map(Step::End),
        1 => Just(Step::Cut),
        1 => Just(Step::Disconnect),
        1 => Just(Step::Stop),
        9 => (0usize..4).prop_map(Step::Output),
        5 => ((0usize..4), any::<bool>()).prop_map(|(at, approved)| Step::Approve(at, approved)),
    ]
}

/// What is known of the chat beside the machine.
struct Model {
    host: Host,
    rule: AutoSendRule,
    max_steps: Option<u32>,
    /// Answers of the page that no request has carried.
    new_answers: usize,
    automatic: u32,
    interrupted: BTreeSet<String>,
    calls: usize,
}

impl Model {
    fn run(rule: AutoSendRule, max_steps: Option<u32>, steps: &[Step]) -> (u32, u32) {
        let host = Host::new(Config {
            auto_send: Some(rule),
            auto_send_limits: AutoSendLimits { max_steps, ..AutoSendLimits::default() },
            while_busy: WhileBusy::Reject,
            ..Config::default()
        });
        let (interrupted, new_answers) = (BTreeSet::new(), 0);
        let mut model =
            Self { host, rule, max_steps, new_answers, automatic: 0, interrupted, calls: 0 };
        let mut sent = 0;
        let mut held = 0;
        for step in steps {
            let due = model.apply(step);
            sent += u32::from(due == Some(true));
            held += u32::from(due == Some(false));
        }
        (sent, held)
    }

    /// Whether a request was due, where one could have been.
    fn apply(&mut self, step: &Step) -> Option<bool> {
        let before = self.host.request_count();
        let is_active = self.is_active();
        let mut answered = None;
        let could_be_due = match step {
            Step::Send | Step::Submit => {
                if matches!(step, Step::Send) {
                    self.host.send("Go on");
                } else {
                    self.host.submit();
                }
                if !is_active {
                    assert_eq!(self.host.request_count(), before + 1);
                    self.new_answers = 0;
                    self.automatic = 0;
                    return None;
                }
                false
            }
            Step::Call(approvals) if is_active => {
                self.begin();
                self.host.chunks(&[r#"{"type":"start-step"}"#]);
                for asks in approvals {
                    self.call(*asks);
                }
                false
            }
            Step::ServerOutput if is_active => {
                let open = self
                    .tool_parts()
                    .into_iter()
                    .rfind(|(_, part)| part["state"] == "input-available");
                if let Some((_, part)) = open {
                    let id = &part["toolCallId"];
                    self.host.chunks(&[&format!(
                        r#"{{"type":"tool-output-available","toolCallId":{id},"output":"server"}}"#
                    )]);
                }
                false
            }
            Step::Text if is_active => {
                self.begin();
                self.host.chunks(&[
                    r#"{"type":"text-start","id":"t"}"#,
                    r#"{"type":"text-delta","id":"t","delta":"Text"}"#,
                    r#"{"type":"text-end","id":"t"}"#,
                ]);
                false
            }
            Step::End(reason) if is_active => {
                self.begin();
                self.host.chunks(&[&format!(r#"{{"type":"finish","finishReason":"{reason}"}}"#)]);
                self.host.done();
                let message = self.host.finished().message["id"].as_str().unwrap().to_owned();
                if *reason == "interrupted" {
                    self.interrupted.insert(message);
                } else {
                    self.interrupted.remove(&message);
                }
                *reason != "interrupted"
            }
            Step::Cut if is_active => {
                self.begin();
                self.host.end();
                false
            }
            Step::Disconnect if is_active => {
                self.host.disconnect();
                false
            }
            Step::Stop => {
                self.host.stop();
                false
            }
            Step::Output(at) => {
                let (message, part) = self.tool_part(*at)?;
                answered = Some(message);
                let is_new = !is_final(&part);
                self.host.add_output(part["toolCallId"].as_str().unwrap(), "\"page\"");
                self.new_answers += usize::from(is_new);
                is_new && !is_active
            }
            Step::Approve(at, approved) => {
                let (message, part) = self.tool_part(*at)?;
                answered = Some(message);
                let id = part["approval"]["id"].as_str()?;
                let is_new = part["state"] == "approval-requested";
                self.host.approve(id, *approved);
                self.new_answers += usize::from(is_new);
                is_new && !is_active
            }
            _ => return None,
        };
        self.check(before, could_be_due, answered)
    }

    fn check(
        &mut self,
        before: usize,
        could_be_due: bool,
        answered: Option<String>,
    ) -> Option<bool> {
        let made = self.host.request_count() - before;
        let is_due = could_be_due && self.new_answers > 0 && self.is_allowed(made, answered);
        assert_eq!(made, usize::from(is_due), "{}", self.host.messages());
        if made > 0 {
            self.new_answers = 0;
            self.automatic += 1;
            assert!(self.automatic <= 25);
        }
        could_be_due.then_some(is_due)
    }

    fn is_allowed(&self, made: usize, answered: Option<String>) -> bool {
        let messages = self.host.chat.messages();
        let holds = match self.rule {
            AutoSendRule::ToolCallsComplete => is_complete_with_tool_calls(messages),
            _ => is_complete_with_approval_responses(messages),
        };
        let last = self.host.ids().last().cloned().unwrap_or_default();
        let is_below = self.automatic < 25
            && self.max_steps.is_none_or(|most| self.steps_since_user() < most as usize);
        // A request that was just made has changed the status, not the messages.
        let is_idle = made > 0 || !self.is_active();
        let mut concerned = answered.into_iter().chain([last]);
        holds && is_below && is_idle && !concerned.any(|id| self.interrupted.contains(&id))
    }

    fn begin(&mut self) {
        if !self.host.has_answered() {
            self.host.answer();
        }
    }

    fn call(&mut self, asks: bool) {
        self.calls += 1;
        let n = self.calls;
        self.host.chunks(&[&format!(
            r#"{{"type":"tool-input-available","toolCallId":"c{n}","toolName":"x","input":{n}}}"#
        )]);
        if asks {
            self.host.chunks(&[&format!(
                r#"{{"type":"tool-approval-request","approvalId":"a{n}","toolCallId":"c{n}"}}"#
            )]);
        }
    }

    fn is_active(&self) -> bool {
        self.host.is_under_way()
    }

    fn steps_since_user(&self) -> usize {
        let messages = self.host.messages();
        let list = messages.as_array().unwrap();
        let answers = list.iter().rev().take_while(|message| message["role"] != "user");
        answers
            .flat_map(|message| message["parts"].as_array().unwrap().clone())
            .filter(|part| part["type"] == "step-start")
            .count()
    }

    /// The tool calls in order, each with the id of its message.
    fn tool_parts(&self) -> Vec<(String, Value)> {
        let messages = self.host.messages();
        let parts = messages.as_array().unwrap().iter().flat_map(|message| {
            let parts = message["parts"].as_array().unwrap().iter();
            let calls = parts.filter(|part| part["toolCallId"].is_string());
            calls.map(|part| (message["id"].as_str().unwrap().to_owned(), part.clone()))
        });
        parts.collect()
    }

    /// The `at`th newest tool call.
    fn tool_part(&self, at: usize) -> Option<(String, Value)> {
        self.tool_parts().into_iter().rev().nth(at)
    }
}

fn is_final(part: &Value) -> bool {
    matches!(part["state"].as_str(), Some("output-available" | "output-error" | "output-denied"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_request_is_made_exactly_when_one_is_due(
        rule in select(vec![AutoSendRule::ToolCallsComplete, AutoSendRule::ApprovalsAnswered]),
        max_steps in prop_oneof![3 => Just(None), 1 => (2u32..6).prop_map(Some)],
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        let mut all = vec![Step::Send];
        all.extend(steps);
        Model::run(rule, max_steps, &all);
    }
}

#[test]
fn the_random_runs_send_and_hold_back_often() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let (mut sent, mut held) = (0, 0);
    for _ in 0..300 {
        let steps = proptest::collection::vec(step(), 60).new_tree(&mut runner).unwrap().current();
        let mut all = vec![Step::Send];
        all.extend(steps);
        let counts = Model::run(AutoSendRule::ToolCallsComplete, None, &all);
        sent += counts.0;
        held += counts.1;
    }
    assert!(sent >= 100 && held >= 100, "{sent} requests were due, {held} were not");
}

#[test]
fn the_ceiling_holds_whatever_the_server_calls() {
    let mut steps = vec![Step::Send];
    for _ in 0..40 {
        steps.extend([Step::Call(vec![false]), Step::End("tool-calls"), Step::Output(0)]);
    }
    let (sent, held) = Model::run(AutoSendRule::ToolCallsComplete, None, &steps);
    assert_eq!((sent, held > 0), (25, true));
}

#[test]
fn a_stopped_chat_goes_on_with_an_answer_that_comes_later() {
    let steps = [Step::Send, Step::Call(vec![false]), Step::Stop, Step::Output(0)];
    assert_eq!(Model::run(AutoSendRule::ToolCallsComplete, None, &steps), (1, 0));
}
