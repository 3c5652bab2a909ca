//! Recorded streams: `tests/fixtures/streams/NAME.sse`, a response's body whose first line is a
//! comment that says what it shows, and `NAME.json`, what is given and expected.

use std::fs;
use std::path::Path;

use chatwire::chat::{Config, ResponseHead};
use serde_json::{Value, json};

use super::host::{Host, ui_stream_head};
use super::log::Seen;
use super::utf16::parse;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/streams");

/// A recorded stream.
#[derive(Debug)]
pub(crate) struct Fixture {
    pub(crate) name: String,
    pub(crate) body: Vec<u8>,
    /// The messages before the request, as JSON text.
    pub(crate) given: Vec<String>,
    /// `submit` or `resume`.
    pub(crate) trigger: String,
    /// Whether the answer has the header of the UI message stream.
    pub(crate) has_header: bool,
    pub(crate) expected: Value,
    /// What the AI SDK makes of it: `same`, or how it differs.
    pub(crate) peer: String,
}

/// All recorded streams, by name.
pub(crate) fn fixtures() -> Vec<Fixture> {
    let entries = fs::read_dir(FOLDER).unwrap();
    let mut names: Vec<String> = entries
        .filter_map(|entry| {
            let name = entry.unwrap().file_name().into_string().unwrap();
            name.strip_suffix(".sse").map(str::to_owned)
        })
        .collect();
    names.sort();
    names.into_iter().map(|name| load(&name)).collect()
}

fn load(name: &str) -> Fixture {
    let path = |extension| Path::new(FOLDER).join(format!("{name}.{extension}"));
    let body = fs::read(path("sse")).unwrap();
    let about = parse(&fs::read_to_string(path("json")).unwrap());
    let text = |key: &str| about[key].as_str().map(str::to_owned);
    let given = match &about["given"] {
        Value::Null => vec![json!({"id": "user", "role": "user", "parts": []}).to_string()],
        given => given.as_array().unwrap().iter().map(Value::to_string).collect(),
    };
    Fixture {
        name: name.to_owned(),
        body,
        given,
        trigger: text("trigger").unwrap_or_else(|| "submit".to_owned()),
        has_header: about["hasHeader"] != json!(false),
        expected: about["expected"].clone(),
        peer: text("peer").unwrap_or_else(|| panic!("{name}: what does the AI SDK do?")),
    }
}

impl Fixture {
    /// Feeds the body in these pieces and tells what came of it, in the shape of `expected`.
    pub(crate) fn run<'a>(&self, config: Config, pieces: impl Iterator<Item = &'a [u8]>) -> Value {
        let mut host = Host::new(config);
        let given: Vec<&str> = self.given.iter().map(String::as_str).collect();
        host.set_messages(&[], &given);
        match self.trigger.as_str() {
            "submit" => host.submit(),
            "resume" => host.resume(),
            other => panic!("{}: no trigger is called {other}", self.name),
        };
        let head = ResponseHead { is_ui_stream: self.has_header, ..ui_stream_head() };
        assert!(host.answer_with(&head, chatwire::chat::StreamKind::EventStream));
        for piece in pieces {
            host.bytes(piece);
        }
        host.end();
        host.advance(100.0);
        host.assert_at_rest();
        summary(&host)
    }
}

/// The result of a host's last response.
fn summary(host: &Host) -> Value {
    let finished = host.finished();
    let pick = |wanted: fn(&Seen) -> Option<&Value>| -> Value {
        host.log.iter().filter_map(wanted).cloned().collect()
    };
    let mut summary = json!({
        "outcome": finished.outcome.as_str(),
        "status": host.chat.status().as_str(),
        "statuses": host.statuses().iter().map(|status| status.as_str()).collect::<Vec<_>>(),
        "warnings": host.warnings(),
        "toolCalls": pick(|seen| if let Seen::ToolCall(chunk) = seen { Some(chunk) } else { None }),
        "data": pick(|seen| if let Seen::Data(chunk) = seen { Some(chunk) } else { None }),
        "messages": host.view.messages(),
    });
    if let Some(error) = host.chat.error() {
        summary["error"] = json!({"code": error.kind.code(), "message": error.message});
    }
    for (key, value) in [("reason", &finished.reason), ("finishReason", &finished.finish_reason)] {
        if let Some(value) = value {
            summary[key] = json!(value);
        }
    }
    summary
}
