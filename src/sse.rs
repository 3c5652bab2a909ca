//! Server-sent events (WHATWG HTML, "Server-sent events"), parsed as the bytes come.
//!
//! Differences from the standard: an event that the stream's end cuts short of its blank line is
//! still given out, since servers of chat streams leave that line off.

use std::borrow::Cow;

use crate::limits;
use crate::swar::find_control;

/// One event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SseEvent<'a> {
    /// The `event` field, empty when there is none.
    pub event: &'a str,
    /// The `data` lines, joined by line feeds.
    pub data: &'a str,
    /// The `id` field, when this event has one.
    pub id: Option<&'a str>,
}

/// Why a stream cannot be parsed further.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum SseError {
    /// An event is longer than the limit.
    EventTooLong {
        /// The limit in bytes.
        limit: usize,
    },
}

/// Receives events.
pub type OnEvent<'a> = &'a mut dyn FnMut(SseEvent<'_>);

/// What the parser hands out while it reads.
#[derive(Debug)]
pub enum SseInput<'a> {
    /// An event.
    Event(SseEvent<'a>),
    /// What follows an event in the same piece. The receiver may take whole events from its begin,
    /// which the parser then does not look at: it returns how many bytes they have.
    Ahead(&'a [u8]),
}

/// Parses a stream that comes in pieces. How it is cut never changes what it gives.
#[derive(Debug)]
pub struct SseParser {
    limit: usize,
    /// A line whose end has not come.
    line: Vec<u8>,
    event: String,
    /// The data lines so far, each followed by a line feed.
    data: String,
    id: Option<String>,
    last_event_id: String,
    /// The next line feed belongs to a carriage return that ended a line.
    skips_line_feed: bool,
    /// No line was read: the first one may begin with a byte order mark.
    at_start: bool,
    failed: bool,
}

impl Default for SseParser {
    fn default() -> Self {
        Self::new(limits::MAX_EVENT_BYTES)
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl SseParser {
    /// A parser that refuses events longer than `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: String::new(),
            data: String::new(),
            id: None,
            last_event_id: String::new(),
            skips_line_feed: false,
            at_start: true,
            failed: false,
        }
    }

    /// A parser of the stream that goes on after this event.
    #[must_use]
    pub fn resumed(limit: usize, last_event_id: String) -> Self {
        Self { last_event_id, ..Self::new(limit) }
    }

    /// The longest event, in bytes.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// The `id` of the last event that has one and came whole, for `Last-Event-ID`; may be empty.
    #[must_use]
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    /// Takes the next bytes and gives out the events that they complete.
    ///
    /// # Errors
    /// An event is too long; all later calls fail in the same way.
    pub fn push(&mut self, bytes: &[u8], on_event: OnEvent<'_>) -> Result<(), SseError> {
        self.push_ahead(bytes, &mut |input| {
            if let SseInput::Event(event) = input {
                on_event(event);
            }
            0
        })
    }

    /// The same for a receiver that may read on by itself; see [`SseInput::Ahead`].
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn push_ahead(
        &mut self,
        bytes: &[u8],
        on_input: &mut dyn FnMut(SseInput<'_>) -> usize,
    ) -> Result<(), SseError> {
        let mut rest = bytes;
        if self.skips_line_feed && !rest.is_empty() {
            self.skips_line_feed = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = line_end(rest) {
            let (line, tail) = rest.split_at(end);
            rest = tail.get(1..).unwrap_or_default();
            if tail.first() == Some(&b'\r') {
                match rest.split_first() {
                    Some((b'\n', after)) => rest = after,
                    Some(_) => {}
                    None => self.skips_line_feed = true,
                }
            }
            self.check_length(line.len())?;
            let mut on_event = |event: SseEvent<'_>| {
                on_input(SseInput::Event(event));
            };
            if let Some((data, after)) = self.whole_event(line, rest) {
                rest = after;
                on_event(SseEvent { event: "", data, id: None });
            } else if self.line.is_empty() {
                self.take_line(line, &mut on_event);
            } else {
                self.line.extend_from_slice(line);
                let line = std::mem::take(&mut self.line);
                self.take_line(&line, &mut on_event);
                self.line = line;
                self.line.clear();
            }
            if self.is_between_events() && rest.len() <= self.limit {
                let taken = on_input(SseInput::Ahead(rest));
                rest = rest.get(taken..).unwrap_or_default();
            }
        }
        self.check_length(rest.len())?;
        self.line.extend_from_slice(rest);
        Ok(())
    }

    /// The stream has ended: gives out an event that lacks its blank line.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn finish(&mut self, on_event: OnEvent<'_>) -> Result<(), SseError> {
        self.check_length(0)?;
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            self.dispatch(on_event);
        } else {
            // The line may lack its rest. A stream that resumes has to bring the event again.
            let last_event_id = self.last_event_id.clone();
            self.take_line(&line, on_event);
            self.dispatch(on_event);
            self.last_event_id = last_event_id;
        }
        Ok(())
    }

    /// An error when `more` bytes make the event too long, or one was before.
    fn check_length(&mut self, more: usize) -> Result<(), SseError> {
        self.failed |= self.line.len() + self.data.len() + more > self.limit;
        if self.failed { Err(SseError::EventTooLong { limit: self.limit }) } else { Ok(()) }
    }

    /// Whether the next byte begins an event.
    fn is_between_events(&self) -> bool {
        let is_fresh = self.line.is_empty() && self.data.is_empty() && self.event.is_empty();
        is_fresh && !self.at_start && !self.skips_line_feed && self.id.is_none()
    }

    /// The usual event: one `data` line and a blank one, all in one piece. Its data is handed out
    /// where it stands; `after` is what follows the blank line.
    fn whole_event<'a>(&self, line: &'a [u8], rest: &'a [u8]) -> Option<(&'a str, &'a [u8])> {
        if !self.is_between_events() {
            return None;
        }
        let value = line.strip_prefix(b"data:")?;
        let after = rest.strip_prefix(b"\n")?;
        let data = std::str::from_utf8(value.strip_prefix(b" ").unwrap_or(value)).ok()?;
        Some((data, after))
    }

    fn take_line(&mut self, line: &[u8], on_event: OnEvent<'_>) {
        let line = if std::mem::take(&mut self.at_start) {
            line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
        } else {
            line
        };
        if line.is_empty() {
            return self.dispatch(on_event);
        }
        let (name, value) = match line.iter().position(|&byte| byte == b':') {
            Some(colon) => {
                let value = line.get(colon + 1..).unwrap_or_default();
                (line.get(..colon).unwrap_or_default(), value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[] as &[u8]),
        };
        match name {
            b"data" => {
                self.data.push_str(&lossy(value));
                self.data.push('\n');
            }
            b"event" => self.event = lossy(value).into_owned(),
            b"id" if !value.contains(&0) => {
                self.id = Some(lossy(value).into_owned());
            }
            // A comment has an empty name; `retry` and unknown fields say nothing to a chat.
            _ => {}
        }
    }

    fn dispatch(&mut self, on_event: OnEvent<'_>) {
        let id = self.id.take();
        if let Some(id) = &id {
            self.last_event_id.clone_from(id);
        }
        if let Some(data) = self.data.strip_suffix('\n') {
            on_event(SseEvent { event: &self.event, data, id: id.as_deref() });
        }
        self.data.clear();
        self.event.clear();
    }
}

/// The first byte that ends a line.
fn line_end(bytes: &[u8]) -> Option<usize> {
    let mut at = find_control(bytes, 0);
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'\n' | b'\r') {
            return Some(at);
        }
        at = find_control(bytes, at + 1);
    }
    None
}

/// UTF-8 with faults replaced as `TextDecoder` replaces them. A line's end is no part of a
/// sequence, so that a line can be decoded by itself.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    // The usual case first: the check alone is several times faster.
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}
