//! Random commands, streams and faults in any order. The host checks what must hold after every
//! output; here stands what must hold after every step and at the end.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeSet;

use chatwire::chat::{
    AutoSendRule, Config, ResponseHead, Status, StreamKind, Throttle, TransportFailure, WhileBusy,
};
use chatwire::json::Text;
use chatwire::message::Role;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use support::chunks::{chunk, mutated_chunk};
use support::host::{Host, ui_stream_head};
use support::log::Seen;

/// What the app, the transport or the time does next.
#[derive(Clone, Debug)]
enum Step {
    Send,
    Submit,
    Edit(Index),
    Regenerate(Option<Index>),
    Stop,
    Resume,
    ClearError,
    /// Keeps the messages that the bits say, and hands some of them in as copies.
    SetMessages(u8, u8),
    AddOutput(&'static str),
    AddError(&'static str),
    Approve(&'static str, bool),
    ResumeQueue,
    RemoveQueued(Index),
    SendQueuedNow(Index),
    Decide(bool),
    Answer,
    Chunks(Vec<String>),
    Finish,
    End,
    Fail(Failure),
    NothingToResume,
    Advance(u16),
    Online(bool),
    Dispose,
}

#[derive(Clone, Copy, Debug)]
enum Failure {
    Connection,
    Aborted,
    EmptyBody,
    Other,
    Http(u16),
}

fn step() -> impl Strategy<Value = Step> {
    let id = || select(vec!["a", "b", "__proto__", "nobody"]);
    let failure = select(vec![
        Failure::Connection,
        Failure::Aborted,
        Failure::EmptyBody,
        Failure::Other,
        Failure::Http(404),
        Failure::Http(503),
    ]);
    prop_oneof![
        6 => Just(Step::Send),
        2 => Just(Step::Submit),
        2 => any::<Index>().prop_map(Step::Edit),
        2 => option::of(any::<Index>()).prop_map(Step::Regenerate),
        3 => Just(Step::Stop),
        2 => Just(Step::Resume),
        1 => Just(Step::ClearError),
        2 => any::<(u8, u8)>().prop_map(|(kept, copied)| Step::SetMessages(kept, copied)),
        4 => id().prop_map(Step::AddOutput),
        1 => id().prop_map(Step::AddError),
        3 => (id(), any::<bool>()).prop_map(|(id, yes)| Step::Approve(id, yes)),
        2 => Just(Step::ResumeQueue),
        1 => any::<Index>().prop_map(Step::RemoveQueued),
        1 => any::<Index>().prop_map(Step::SendQueuedNow),
        4 => any::<bool>().prop_map(Step::Decide),
        10 => Just(Step::Answer),
        20 => vec(prop_oneof![20 => chunk(), 1 => mutated_chunk()], 1..6).prop_map(Step::Chunks),
        4 => Just(Step::Finish),
        6 => Just(Step::End),
        3 => failure.prop_map(Step::Fail),
        1 => Just(Step::NothingToResume),
        6 => (0..2000_u16).prop_map(Step::Advance),
        1 => any::<bool>().prop_map(Step::Online),
        1 => Just(Step::Dispose),
    ]
}

fn config() -> impl Strategy<Value = Config> {
    let throttle = select(vec![Throttle::Frame, Throttle::EveryRead, Throttle::Interval(50.0)]);
    let while_busy = select(vec![WhileBusy::Queue, WhileBusy::Interrupt, WhileBusy::Reject]);
    let auto_send = option::of(select(vec![
        AutoSendRule::ToolCallsComplete,
        AutoSendRule::ApprovalsAnswered,
        AutoSendRule::Host,
    ]));
    (throttle, while_busy, auto_send, any::<bool>()).prop_map(
        |(throttle, while_busy, auto_send, resume)| Config {
            throttle,
            while_busy,
            auto_send,
            resume,
            ..Config::default()
        },
    )
}

/// A chat and what its user wrote.
struct Model {
    host: Host,
    /// Ids of the user's messages in the order in which they are, or will be, in the list.
    users: Vec<String>,
}

impl Model {
    fn new(config: Config, callbacks: Vec<Option<Step>>) -> Self {
        let mut host = Host::new(config);
        let mut callbacks = callbacks.into_iter();
        host.callback = Some(Box::new(move |host, _| match callbacks.next().flatten() {
            Some(Step::AddOutput(id)) => {
                host.add_output(id, "1");
            }
            Some(Step::Approve(id, yes)) => {
                host.approve(id, yes);
            }
            Some(Step::Stop) => {
                host.stop();
            }
            _ => {}
        }));
        Self { host, users: Vec::new() }
    }

    /// The user's messages that are in the list or wait.
    fn present(&self) -> Vec<String> {
        let listed = self.host.chat.messages().iter();
        let listed = listed
            .filter(|message| message.role() == Role::User)
            .map(|message| message.id().to_string_lossy());
        let waiting = self.host.view.queued().iter();
        let waiting = waiting.map(|message| message["id"].as_str().unwrap().to_owned());
        listed.chain(waiting).collect()
    }

    fn id_at(&self, at: &Index) -> Option<String> {
        let ids = self.host.ids();
        (!ids.is_empty()).then(|| ids[at.index(ids.len())].clone())
    }

    fn queued_at(&self, at: &Index) -> Text {
        let queued = self.host.view.queued();
        if queued.is_empty() {
            return Text::from_utf8("nobody");
        }
        Text::from_utf8(queued[at.index(queued.len())]["id"].as_str().unwrap())
    }

    /// A step that only the transport of an open request may take.
    fn on_stream(&mut self, act: impl FnOnce(&mut Host)) {
        if self.host.is_connected() {
            if self.host.answered() != self.host.opened().request {
                self.host.answer();
            }
            // The answer may have been refused, or a callback may have stopped it.
            if self.host.is_connected() {
                act(&mut self.host);
            }
        }
    }

    fn take(&mut self, step: &Step) {
        let host = &mut self.host;
        let mut edits_list = false;
        match step {
            Step::Send => {
                let send = host.send("Hi");
                let refused = matches!(host.settled(send), Some(Some(_)));
                if !refused {
                    let id = self.present().into_iter().max_by_key(|id| number(id)).unwrap();
                    assert!(!self.users.contains(&id), "the sent message is lost");
                    self.users.push(id);
                }
            }
            Step::Submit => {
                host.submit();
            }
            Step::Edit(at) => {
                edits_list = true;
                let id = self.id_at(at).unwrap_or_else(|| "nobody".to_owned());
                self.host.edit(&id, "Other");
            }
            Step::Regenerate(at) => {
                edits_list = true;
                let id = at.as_ref().and_then(|at| self.id_at(at));
                self.host.regenerate(id.as_deref());
            }
            Step::Stop => {
                host.stop();
            }
            Step::Resume => {
                host.resume();
            }
            Step::ClearError => host.clear_error(),
            Step::SetMessages(kept, copied) => {
                edits_list = true;
                self.set_messages(*kept, *copied);
            }
            Step::AddOutput(id) => {
                host.add_output(id, "1");
            }
            Step::AddError(id) => {
                host.add_error(id, "no");
            }
            Step::Approve(id, yes) => {
                host.approve(id, *yes);
            }
            Step::ResumeQueue => host.change(|chat, _| chat.resume_queue()),
            Step::RemoveQueued(at) => {
                let id = self.queued_at(at);
                if self.host.change(|chat, _| chat.remove_queued(&id)).is_ok() {
                    self.users.retain(|user| *user != id.to_string_lossy());
                }
            }
            Step::SendQueuedNow(at) => {
                let id = self.queued_at(at);
                let before: BTreeSet<String> = self.present().into_iter().collect();
                drop(self.host.change(|chat, _| chat.send_queued_now(&id)));
                assert_eq!(before, self.present().into_iter().collect(), "only the order changes");
                edits_list = true;
            }
            Step::Decide(send) if host.question_count() > 0 => host.decide(host.asked(), *send),
            Step::Decide(_) => {}
            Step::Answer if host.is_connected() && host.answered() != host.opened().request => {
                host.answer();
            }
            Step::Answer => {}
            Step::Chunks(chunks) => {
                let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
                self.on_stream(|host| host.chunks(&chunks));
            }
            Step::Finish => self.on_stream(|host| host.chunks(&[r#"{"type":"finish"}"#])),
            Step::End => self.on_stream(Host::end),
            Step::Fail(failure) => self.fail(*failure),
            Step::NothingToResume => {
                let is_resume = host.is_connected()
                    && matches!(host.opened().kind, chatwire::chat::RequestKind::Resume { .. });
                if is_resume && host.answered() != host.opened().request {
                    host.nothing_to_resume();
                }
            }
            Step::Advance(milliseconds) => host.advance(f64::from(*milliseconds)),
            Step::Online(is_online) => host.change(|chat, _| chat.handle_online(*is_online)),
            Step::Dispose => {
                edits_list = true;
                host.dispose();
            }
        }
        self.check(edits_list);
    }

    fn fail(&mut self, failure: Failure) {
        let host = &mut self.host;
        if !host.is_connected() {
            return;
        }
        match failure {
            Failure::Connection => host.disconnect(),
            Failure::Aborted => host.fail(TransportFailure::Aborted),
            Failure::EmptyBody => host.fail(TransportFailure::EmptyBody),
            Failure::Other => host.fail(TransportFailure::Other("boom".to_owned())),
            Failure::Http(status) => {
                if host.answered() != host.opened().request {
                    let head = ResponseHead { status, ..ui_stream_head() };
                    assert!(!host.answer_with(&head, StreamKind::EventStream));
                    host.failure_body("no");
                }
            }
        }
    }

    fn set_messages(&mut self, kept: u8, copied: u8) {
        let mut keys = Vec::new();
        let mut copies = Vec::new();
        for (at, key) in self.host.view.keys().iter().enumerate() {
            let bit = 1 << (at % 8);
            if copied & bit != 0 && kept & bit != 0 {
                copies.push(self.host.chat.export_message(*key).unwrap());
            } else if kept & bit != 0 {
                keys.push(*key);
            }
        }
        let copies: Vec<&str> = copies.iter().map(String::as_str).collect();
        self.host.set_messages(&keys, &copies);
    }

    fn check(&mut self, edits_list: bool) {
        let present = self.present();
        if edits_list {
            self.users = present;
        } else {
            assert_eq!(present, self.users, "a message of the user is lost or out of order");
        }
        let ids = self.host.ids();
        let distinct: BTreeSet<&String> = ids.iter().collect();
        assert_eq!(distinct.len(), ids.len(), "two messages have one id: {ids:?}");
        if !self.host.is_connected() && !self.host.is_reconnecting() {
            assert!(matches!(self.host.chat.status(), Status::Ready | Status::Error));
        }
    }

    /// Lets everything come to its end: the transport first, then what waits.
    fn finish(&mut self) {
        self.host.callback = None;
        for _ in 0..200 {
            if self.host.is_connected() {
                self.take(&Step::Finish);
                self.take(&Step::End);
            } else if self.host.is_reconnecting() {
                self.take(&Step::Online(true));
                self.take(&Step::Advance(60_000));
            } else if self.host.is_waiting() {
                self.take(&Step::Decide(false));
                self.take(&Step::ResumeQueue);
            } else {
                break;
            }
        }
        self.host.advance(1000.0);
        self.host.assert_at_rest();
        let opened = self.host.log.iter().filter(|seen| matches!(seen, Seen::Opened(_))).count();
        let finished =
            self.host.log.iter().filter(|seen| matches!(seen, Seen::Finished(_))).count();
        assert!(finished <= opened);
    }
}

fn number(id: &str) -> u32 {
    id.trim_start_matches("user-").parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_nothing_is_lost_and_everything_ends(
        config in config(),
        steps in vec(step(), 1..80),
        callbacks in vec(option::of(step()), 0..20),
    ) {
        let mut model = Model::new(config, callbacks);
        for step in &steps {
            model.take(step);
        }
        model.finish();
    }
}
