//! A conversation with a server, run twice: with its bodies as they are, and in their general form.

use std::rc::Rc;

use chatwire::chat::{
    Changes, Chat, Config, Connection, MessageSource, NewMessage, Outcome, Output, RequestId,
    RequestKind, ResponseHead, SendMessage, Status, StreamKind, ToolResult, TransportFailure,
};
use chatwire::error::Error;
use chatwire::json::{RawJson, Text};

use super::general_form::GeneralForm;

/// What is given, and the bodies of the answers, one for each connection.
pub(crate) struct Scenario {
    pub(crate) config: Config,
    /// The messages before the request, as JSON text.
    pub(crate) given: Vec<String>,
    pub(crate) is_resume: bool,
    pub(crate) head: ResponseHead,
    pub(crate) answers: Vec<Answer>,
}

/// The body of an answer.
pub(crate) struct Body {
    pub(crate) given: Vec<u8>,
    general: GeneralForm,
}

impl Body {
    pub(crate) fn new(given: Vec<u8>) -> Rc<Self> {
        let general = GeneralForm::of(&given);
        Rc::new(Self { given, general })
    }

    fn piece(&self, form: Form, start: usize, end: usize) -> &[u8] {
        match form {
            Form::Given => &self.given[start..end],
            Form::General => self.general.piece(start, end),
        }
    }
}

/// A body and how it comes.
pub(crate) struct Answer {
    pub(crate) body: Rc<Body>,
    /// Where reads end, in order and before the body's end.
    pub(crate) cuts: Vec<usize>,
    /// Reads, by number, before which the app gives a command.
    pub(crate) commands: Vec<(usize, Command)>,
    /// The connection breaks at the end of the body.
    pub(crate) is_lost: bool,
}

/// What an app may do in the middle of a response.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    Stop,
    AddOutput(&'static str),
    /// Sets the messages to the first ones of the list.
    KeepMessages(usize),
    /// Answers the schema's check of a value.
    Check(bool),
}

/// What a host sees and gets, in order.
#[derive(PartialEq, Debug)]
pub(crate) enum Told {
    Read(usize),
    Output(Output),
    Published { ops: Vec<u32>, arena: String, has_surrogates: bool, state: State },
    End { messages: String, state: State },
}

type State = (Status, Option<Outcome>, Connection, Option<Error>);

#[derive(Clone, Copy, PartialEq)]
enum Form {
    Given,
    General,
}

impl Scenario {
    /// Fails unless both forms give the same, output by output.
    pub(crate) fn compare(&self, name: impl Fn() -> String) {
        let (given, general) = (self.run(Form::Given), self.run(Form::General));
        let differs = given.iter().zip(&general).position(|(given, general)| given != general);
        let end = given.len().min(general.len());
        let at = differs.or_else(|| (given.len() != general.len()).then_some(end));
        if let Some(at) = at {
            let bodies = self.answers.iter().map(|answer| &answer.body.given);
            let bodies: Vec<_> = bodies.map(|body| String::from_utf8_lossy(body)).collect();
            panic!(
                "{}\nafter {:?}\nis       {:?}\nexpected {:?}\nbodies {bodies:#?}",
                name(),
                at.checked_sub(1).and_then(|before| given.get(before)),
                given.get(at),
                general.get(at),
            );
        }
    }

    fn run(&self, form: Form) -> Vec<Told> {
        let mut config = self.config.clone();
        // The white space of the general form is a byte of each event.
        config.max_event_bytes += usize::from(form == Form::General);
        let mut host = Host::new(self, config);
        for answer in &self.answers {
            let Some(request) = host.opened.take() else { break };
            if host.chat.handle_head(request, self.head.clone(), StreamKind::EventStream) {
                host.drain();
                host.answer(request, answer, form);
            }
        }
        if let Some(request) = host.opened.take() {
            host.chat.handle_nothing_to_resume(request);
            host.drain();
        }
        let messages = host.chat.export_messages();
        let state = host.state();
        host.told.push(Told::End { messages, state });
        host.told
    }
}

/// Does what the chat asks and notes it.
struct Host {
    chat: Chat,
    told: Vec<Told>,
    changes: Changes,
    now: f64,
    /// The request that waits for its answer.
    opened: Option<RequestId>,
    /// The check that waits for its result.
    checked: Option<RequestId>,
}

impl Host {
    fn new(scenario: &Scenario, config: Config) -> Self {
        let mut host = Self {
            chat: Chat::new(config),
            told: Vec::new(),
            changes: Changes::default(),
            now: 0.0,
            opened: None,
            checked: None,
        };
        let given = scenario.given.iter().zip(1..);
        let given =
            given.map(|(json, slot)| MessageSource::New(NewMessage::parse(json, slot).unwrap()));
        host.chat.set_messages(host.now, given.collect());
        if scenario.is_resume {
            host.chat.resume_stream(host.now, 0);
        } else {
            host.chat.send_message(host.now, SendMessage::default());
        }
        host.drain();
        host
    }

    fn answer(&mut self, request: RequestId, answer: &Answer, form: Form) {
        let mut start = 0;
        for (number, &end) in answer.cuts.iter().chain([&answer.body.given.len()]).enumerate() {
            for (_, command) in answer.commands.iter().filter(|(read, _)| *read == number) {
                self.command(command);
            }
            self.told.push(Told::Read(number));
            self.now += 1.0;
            let piece = answer.body.piece(form, start, end);
            self.chat.handle_bytes(self.now, request, piece);
            self.drain();
            start = end;
        }
        if answer.is_lost {
            let failure = TransportFailure::Connection("lost".to_owned());
            self.chat.handle_failure(self.now, request, failure);
        } else {
            self.chat.handle_end(self.now, request);
        }
        self.drain();
        self.command(&Command::Check(true));
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Stop => {
                self.chat.stop(self.now, None);
            }
            Command::AddOutput(id) => {
                let output = ToolResult::Output(RawJson::parse("1").unwrap());
                self.chat.add_tool_result(self.now, &Text::from_utf8(id), &output, 0);
            }
            Command::KeepMessages(count) => {
                let keys = self.chat.messages().iter().take(*count);
                let keys = keys.map(|message| MessageSource::Key(message.key())).collect();
                self.chat.set_messages(self.now, keys);
            }
            Command::Check(is_accepted) => {
                while let Some(request) = self.checked.take() {
                    self.chat.handle_check(self.now, request, *is_accepted);
                    self.drain();
                }
            }
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.chat.poll_output() {
            let output = match output {
                Output::Publish => {
                    self.publish();
                    continue;
                }
                // The whole text of an event, with what stands around its JSON.
                Output::ToolCall(chunk) => Output::ToolCall(chunk.trim().to_owned()),
                Output::Data(chunk) => Output::Data(chunk.trim().to_owned()),
                output => output,
            };
            match &output {
                Output::OpenRequest(open) => {
                    let id = format!("response-{}", open.request);
                    self.chat.set_response_id(open.request, Text::from_utf8(&id));
                    self.opened = Some(open.request);
                    let is_resume = matches!(open.kind, RequestKind::Resume { .. });
                    assert!(is_resume || open.request == 1, "the chat sends by itself");
                }
                Output::Reconnect { request, after } => {
                    self.now += after;
                    self.chat.handle_reconnect(self.now, *request);
                }
                Output::Check(check) => self.checked = Some(check.request),
                _ => {}
            }
            self.told.push(Told::Output(output));
        }
    }

    fn publish(&mut self) {
        self.chat.take_changes(&mut self.changes);
        self.told.push(Told::Published {
            ops: self.changes.ops.clone(),
            arena: String::from_utf8_lossy(&self.changes.arena).into_owned(),
            has_surrogates: self.changes.has_surrogates,
            state: self.state(),
        });
    }

    fn state(&self) -> State {
        let chat = &self.chat;
        (chat.status(), chat.outcome(), chat.connection(), chat.error().cloned())
    }
}
