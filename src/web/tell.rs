//! Commands and rare events, as JSON objects.

use crate::chat::{
    AutoSendLimits, Chat, MessageSource, NewMessage, Recovery, ResponseHead, SendMessage,
    StreamKind, ToolResult, TransportFailure,
};
use crate::error::{Error, ErrorKind};
use crate::json::{ArrayReader, JsonStr, ObjectReader, RawJson, Text};

/// The number of a command, or 1 for yes.
pub(super) struct Reply(pub(super) u32);

/// The members that some command or event has, as raw JSON. What they mean, [`tell`] says.
#[derive(Default)]
struct Members<'a> {
    action: &'a str,
    /// An id: of a message, tool call, approval or response.
    id: Option<&'a str>,
    /// A message, an output, an array of messages.
    value: Option<&'a str>,
    /// An error text, reason, label, body, content type, message of a failure.
    text: Option<&'a str>,
    url: Option<&'a str>,
    keys: Option<&'a str>,
    slots: Option<&'a str>,
    /// The app's options, a request, a decision, a status: what the action needs of them.
    options: u32,
    request: u32,
    number: u32,
    yes: bool,
    also: bool,
}

impl<'a> Members<'a> {
    fn read(json: &'a str) -> Result<Self, Error> {
        let mut members = Self::default();
        let mut reader = ObjectReader::new(json)?;
        while let Some((key, raw)) = reader.next()? {
            match key.raw() {
                "do" => members.action = JsonStr::from_raw_value(raw).map_or("", JsonStr::raw),
                "id" => members.id = Some(raw),
                "value" => members.value = Some(raw),
                "text" => members.text = Some(raw),
                "url" => members.url = Some(raw),
                "keys" => members.keys = Some(raw),
                "slots" => members.slots = Some(raw),
                "options" => members.options = integer(raw),
                "request" => members.request = integer(raw),
                "number" => members.number = integer(raw),
                "yes" => members.yes = raw == "true",
                "also" => members.also = raw == "true",
                _ => {}
            }
        }
        Ok(members)
    }

    fn id(&self) -> Text {
        decoded(self.id)
    }

    fn optional_id(&self) -> Option<Text> {
        self.id.map(|id| decoded(Some(id)))
    }

    fn string(&self) -> String {
        decoded(self.text).to_string_lossy()
    }
}

fn decoded(raw: Option<&str>) -> Text {
    raw.and_then(JsonStr::from_raw_value).map(JsonStr::to_text).unwrap_or_default()
}

fn integer(raw: &str) -> u32 {
    raw.bytes().fold(0, |sum: u32, digit| {
        sum.wrapping_mul(10).wrapping_add(u32::from(digit.wrapping_sub(b'0')))
    })
}

/// Does what a JSON object says.
pub(super) fn tell(chat: &mut Chat, now: f64, json: &str) -> Result<Reply, Error> {
    let members = Members::read(json)?;
    let (request, options) = (members.request, members.options);
    let command = match members.action {
        // Commands
        "set" => {
            chat.set_messages(now, sources(&members)?);
            0
        }
        "send" => {
            let message = match members.value {
                Some(json) => Some(NewMessage::parse(json, members.number)?),
                None => None,
            };
            let replaces = members.optional_id();
            chat.send_message(now, SendMessage { message, replaces, options })
        }
        "regenerate" => chat.regenerate(now, members.optional_id(), options),
        "resume" => chat.resume_stream(now, options),
        "detach" => chat.detach(now),
        "stop" => chat.stop(now, members.text.map(|text| decoded(Some(text)))),
        "output" => {
            let output =
                ToolResult::Output(RawJson::from_validated(members.value.unwrap_or("null")));
            chat.add_tool_result(now, &members.id(), &output, options)
        }
        "outputError" => {
            let error = ToolResult::Error(decoded(members.text));
            chat.add_tool_result(now, &members.id(), &error, options)
        }
        "approve" => {
            let reason = members.text.map(|text| decoded(Some(text)));
            chat.add_approval_response(now, &members.id(), members.yes, reason.as_ref(), options)
        }
        "limits" => {
            let mut numbers = ArrayReader::new(members.keys.unwrap_or("[]"))?;
            let mut next = || Ok::<_, Error>(numbers.next()?.map_or(0, integer));
            let (steps, tokens) = (next()?, next()?);
            let limit = |number| Some(number).filter(|&number| number > 0);
            chat.limit_auto_send(AutoSendLimits {
                max_steps: limit(steps),
                max_tokens: limit(tokens),
            });
            chat.set_recovery(Recovery {
                continue_on_length: next()?,
                nudge_on_empty: next()?,
                retry_stream: next()?,
            });
            0
        }
        "nudge" => {
            let message = members.value.map(|json| NewMessage::parse(json, request)).transpose()?;
            chat.handle_nudge(members.number, message);
            0
        }
        "wasStopped" => {
            chat.restore_stopped();
            0
        }
        "clearError" => {
            chat.clear_error();
            0
        }
        "removeQueued" => {
            chat.remove_queued(&members.id())?;
            0
        }
        "sendQueued" => {
            chat.send_queued_now(&members.id())?;
            0
        }
        "resumeQueue" => {
            chat.resume_queue();
            0
        }
        "dispose" => {
            chat.dispose();
            0
        }
        // Events
        "responseId" => {
            chat.set_response_id(request, members.id());
            0
        }
        "head" => {
            let head = ResponseHead {
                status: u16::try_from(members.number).unwrap_or(0),
                content_type: members.string(),
                is_ui_stream: members.yes,
                url: decoded(members.url).to_string_lossy(),
            };
            let stream = if members.also { StreamKind::Text } else { StreamKind::EventStream };
            u32::from(chat.handle_head(request, head, stream))
        }
        "failureBody" => {
            chat.handle_failure_body(now, request, &members.string());
            0
        }
        "nothing" => {
            chat.handle_nothing_to_resume(request);
            0
        }
        "chunkStream" => {
            chat.handle_chunk_stream(request);
            0
        }
        "end" => {
            chat.handle_end(now, request);
            0
        }
        "fail" => {
            chat.handle_failure(now, request, failure(members.number, members.string()));
            0
        }
        "checked" => {
            chat.handle_check(now, request, members.yes);
            0
        }
        "reconnect" => {
            chat.handle_reconnect(now, request);
            0
        }
        "online" => {
            chat.handle_online(members.yes);
            0
        }
        "decide" => {
            chat.handle_decision(members.number, members.yes);
            0
        }
        _ => return Err(Error::new(ErrorKind::InvalidArgument, "unknown action")),
    };
    Ok(Reply(command))
}

/// The failures of a transport as `requests.js` numbers them.
fn failure(number: u32, message: String) -> TransportFailure {
    match number {
        0 => TransportFailure::Connection(message),
        1 => TransportFailure::Aborted,
        2 => TransportFailure::EmptyBody,
        4 => TransportFailure::TimedOut(message),
        _ => TransportFailure::Other(message),
    }
}

/// `keys` has the key of each message that the view shows already, or 0 for the next one of
/// `value`, an array, whose objects the view knows under `slots`.
fn sources(members: &Members<'_>) -> Result<Vec<MessageSource>, Error> {
    let mut keys = ArrayReader::new(members.keys.unwrap_or("[]"))?;
    let mut messages = ArrayReader::new(members.value.unwrap_or("[]"))?;
    let mut slots = ArrayReader::new(members.slots.unwrap_or("[]"))?;
    let mut sources = Vec::new();
    while let Some(key) = keys.next()? {
        let key = integer(key);
        if key != 0 {
            sources.push(MessageSource::Key(key));
        } else if let (Some(message), Some(slot)) = (messages.next()?, slots.next()?) {
            sources.push(MessageSource::New(NewMessage::parse(message, integer(slot))?));
        }
    }
    Ok(sources)
}
