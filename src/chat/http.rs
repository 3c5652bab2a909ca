//! What an HTTP answer means before its first byte is decoded.

use crate::error::{Error, ErrorKind, HttpFailure};
use crate::json::{self, JsonKind, JsonStr};

/// The head of an HTTP answer.
#[derive(Clone, Debug, Default)]
pub struct ResponseHead {
    /// The status code.
    pub status: u16,
    /// The `content-type`, in lower case, empty when there is none.
    pub content_type: String,
    /// The answer carries `x-vercel-ai-ui-message-stream`, so that a missing end marker is a cut.
    pub is_ui_stream: bool,
    /// The requested URL.
    pub url: String,
}

/// Longest plain-text body that serves as an error message, in characters.
const MAX_MESSAGE_CHARS: usize = 500;

impl ResponseHead {
    /// Whether the answer is a failure whose body explains it.
    #[must_use]
    pub fn is_failure(&self) -> bool {
        !(200..300).contains(&self.status)
    }

    /// Whether a 2xx answer is a page, not a stream.
    #[must_use]
    pub fn is_page(&self) -> bool {
        self.content_type.starts_with("text/html")
    }

    /// Whether the first byte of the body decides if this is a stream.
    #[must_use]
    pub fn may_be_json_document(&self) -> bool {
        self.content_type.starts_with("application/json")
    }

    /// The error for a failure with this body.
    #[must_use]
    pub fn failure(&self, body: &str) -> Error {
        let kind = if self.status == 409 { ErrorKind::RunActive } else { ErrorKind::HttpError };
        Error {
            response: Some(self.response(body)),
            ..Error::new(kind, self.failure_message(body))
        }
    }

    /// The error for a 2xx answer that is no stream.
    #[must_use]
    pub fn unexpected(&self, body: &str) -> Error {
        let message = [
            "The server answered with ",
            &self.content_type,
            " instead of a chat stream. Check the `api` option of the transport.",
        ]
        .concat();
        Error {
            response: Some(self.response(body)),
            ..Error::new(ErrorKind::UnexpectedResponse, message)
        }
    }

    fn response(&self, body: &str) -> HttpFailure {
        HttpFailure { status: self.status, url: self.url.clone(), body: body.to_owned() }
    }

    /// The text of a short plain body, the message in a JSON body, else the status.
    fn failure_message(&self, body: &str) -> String {
        let is_plain = self.content_type.starts_with("text/plain");
        if is_plain && !body.is_empty() && body.chars().count() <= MAX_MESSAGE_CHARS {
            return body.to_owned();
        }
        message_in_json(body).unwrap_or_else(|| {
            let mut digits = String::new();
            for divisor in [100, 10, 1] {
                digits
                    .push(char::from(b'0' + u8::try_from(self.status / divisor % 10).unwrap_or(0)));
            }
            ["HTTP ", &digits, " from ", path_of(&self.url)].concat()
        })
    }
}

/// A string `message`, `error` or `error.message` of a JSON object.
fn message_in_json(body: &str) -> Option<String> {
    let string = |raw: &str| JsonStr::from_raw_value(raw).map(JsonStr::to_utf8_lossy);
    json::check(body).ok()?;
    if let Some(message) = json::member(body, "message").and_then(string) {
        return Some(message);
    }
    let error = json::member(body, "error")?;
    match json::kind(error)? {
        JsonKind::String => string(error),
        _ => json::member(error, "message").and_then(string),
    }
}

fn path_of(url: &str) -> &str {
    let end = url.find(['?', '#']).unwrap_or(url.len());
    let url = url.get(..end).unwrap_or_default();
    // scheme://host/path
    match url.find(':').and_then(|colon| url.get(colon + 3..)) {
        Some(rest) => rest.find('/').and_then(|slash| rest.get(slash..)).unwrap_or("/"),
        None => url,
    }
}

#[cfg(test)]
mod tests {
    use super::ResponseHead;

    fn message(content_type: &str, body: &str) -> String {
        let head = ResponseHead {
            status: 502,
            content_type: content_type.to_owned(),
            is_ui_stream: false,
            url: "https://example.com/api/chat?x=1".to_owned(),
        };
        head.failure(body).message
    }

    #[test]
    fn the_message_comes_from_the_body_only_when_it_is_one() {
        for (content_type, body, expected) in [
            ("text/plain", "Model is overloaded", "Model is overloaded"),
            ("text/plain; charset=utf-8", "", "HTTP 502 from /api/chat"),
            ("text/html", "<html>Bad gateway</html>", "HTTP 502 from /api/chat"),
            ("application/json", r#"{"message":"m"}"#, "m"),
            ("application/json", r#"{"error":"e"}"#, "e"),
            ("application/json", r#"{"error":{"message":"deep"}}"#, "deep"),
            ("application/json", r#"{"error":5}"#, "HTTP 502 from /api/chat"),
            ("application/json", "{broken", "HTTP 502 from /api/chat"),
            ("", r#"{"error":"e"}"#, "e"),
        ] {
            assert_eq!(message(content_type, body), expected, "{content_type} {body}");
        }
        let long = "x".repeat(501);
        assert_eq!(message("text/plain", &long), "HTTP 502 from /api/chat");
    }
}
