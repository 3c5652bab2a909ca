//! Server-sent events, however the bytes are cut.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::limits::MAX_EVENT_BYTES;
use chatwire::sse::{SseError, SseEvent, SseParser};
use proptest::collection::vec;
use proptest::prelude::*;

/// An event of its own: type, data, id.
type Event = (String, String, Option<String>);

/// What a stream gave.
#[derive(Clone, PartialEq, Debug)]
struct Outcome {
    events: Vec<Event>,
    last_event_id: String,
    result: Result<(), SseError>,
}

fn read<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut events = Vec::new();
    let mut on_event = |event: SseEvent<'_>| {
        events.push((event.event.into(), event.data.into(), event.id.map(Into::into)));
    };
    let mut parser = SseParser::new(limit);
    let mut result = Ok(());
    for piece in pieces {
        let pushed = parser.push(piece, &mut on_event);
        assert!(result.is_ok() || pushed.is_err(), "an error is final");
        result = result.and(pushed);
    }
    let finished = parser.finish(&mut on_event);
    assert!(result.is_ok() || finished.is_err(), "an error is final");
    result = result.and(finished);
    Outcome { events, last_event_id: parser.last_event_id().to_owned(), result }
}

fn read_whole(bytes: &[u8]) -> Outcome {
    read(MAX_EVENT_BYTES, [bytes])
}

fn message(data: &str) -> Event {
    (String::new(), data.into(), None)
}

/// Streams and the data of their events.
const MESSAGES: &[(&str, &[&str])] = &[
    ("", &[]),
    ("\n\n\n", &[]),
    ("data: a\n\n", &["a"]),
    ("data: {\"a\":1}\n\ndata: [DONE]\n\n", &["{\"a\":1}", "[DONE]"]),
    // Line ends
    ("data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", &["a\nb", "c"]),
    ("data: a\rdata: b\r\rdata: c\r\r", &["a\nb", "c"]),
    ("data: a\r\n\ndata: b\n\rdata: c\r\r\n", &["a", "b", "c"]),
    ("data: a\r\r\ndata: b\n\r\n", &["a", "b"]),
    ("data: a\n\r\ndata: b\n\n", &["a", "b"]),
    ("\r\r\n\n\rdata: a\n\n", &["a"]),
    (
        "data: tab\there \u{b}\u{c}\u{85}\u{2028}\u{1}\n\n",
        &["tab\there \u{b}\u{c}\u{85}\u{2028}\u{1}"],
    ),
    // The colon and its space
    ("data:a\n\n", &["a"]),
    ("data:  a \n\n", &[" a "]),
    ("data:\ta\n\n", &["\ta"]),
    ("data: a: b:c\n\n", &["a: b:c"]),
    ("data::\n\n", &[":"]),
    // Data without a value
    ("data\n\n", &[""]),
    ("data:\n\n", &[""]),
    ("data: \n\n", &[""]),
    ("data\ndata\n\n", &["\n"]),
    ("data: a\ndata:\ndata: b\n\n", &["a\n\nb"]),
    ("data: a\ndata:\n\n", &["a\n"]),
    // Comments and other fields
    (": comment\n\ndata: a\n:\n: another\ndata: b\n\n", &["a\nb"]),
    (":data: a\n\n", &[]),
    ("Data: a\nDATA: b\n data: c\ndata : d\ndatab: e\ndat: f\n\n", &[]),
    ("retry: 10\nunknown: x\nunknown\ndata: a\n\n", &["a"]),
    // The byte order mark
    ("\u{feff}data: a\n\n", &["a"]),
    ("\u{feff}\ndata: a\n\n", &["a"]),
    ("\u{feff}: comment\n\u{feff}data: a\n\n", &[]),
    ("\u{feff}\u{feff}data: a\n\n", &[]),
    ("data: a\n\n\u{feff}data: b\n\ndata: \u{feff}c\n\n", &["a", "\u{feff}c"]),
    // The end without a blank line
    ("data: a\n\ndata: b\n", &["a", "b"]),
    ("data: a\n\ndata: b", &["a", "b"]),
    ("data: a\ndata: b\r", &["a\nb"]),
    ("data: a\r\ndata", &["a\n"]),
    ("data: a\n\nevent: b", &["a"]),
    ("\u{feff}data: a", &["a"]),
    ("data: äöü€😀\n\ndata: 한국어\n\n", &["äöü€😀", "한국어"]),
];

#[test]
fn data_is_read() {
    for &(text, data) in MESSAGES {
        let expected: Vec<_> = data.iter().map(|data| message(data)).collect();
        let outcome = read_whole(text.as_bytes());
        assert_eq!(outcome.events, expected, "{text:?}");
        assert_eq!(outcome.result, Ok(()), "{text:?}");
    }
}

/// As [`Event`], for tables.
type ExpectedEvent = (&'static str, &'static str, Option<&'static str>);

/// Streams with types and ids: their events, and the last id.
#[rustfmt::skip] // one case per line
const FIELDS: &[(&str, &[ExpectedEvent], &str)] = &[
    ("event: e\ndata: a\n\ndata: b\n\n", &[("e", "a", None), ("", "b", None)], ""),
    ("event: e\nevent: f\ndata: a\n\n", &[("f", "a", None)], ""),
    ("event: e\nevent\ndata: a\n\n", &[("", "a", None)], ""),
    ("event: e\n\ndata: a\n\n", &[("", "a", None)], ""),
    ("data: a\nevent: e\r\n\r\n", &[("e", "a", None)], ""),
    ("id: 1\ndata: a\n\ndata: b\n\n", &[("", "a", Some("1")), ("", "b", None)], "1"),
    ("data: a\nid: 1\nid: 2\n\n", &[("", "a", Some("2"))], "2"),
    ("id: 1\ndata: a\n\nid\ndata: b\n\n", &[("", "a", Some("1")), ("", "b", Some(""))], ""),
    ("id: 1\n\n", &[], "1"),
    ("id: 1\n\ndata: a\n\n", &[("", "a", None)], "1"),
    ("id: 1\n\nid: \0\ndata: a\n\n", &[("", "a", None)], "1"),
    ("id: 2\0\ndata: a\n\n", &[("", "a", None)], ""),
    ("id:  ü \ndata: a\n\n", &[("", "a", Some(" ü "))], " ü "),
    ("ID: 1\ndata: a\n\n", &[("", "a", None)], ""),
    // An event that the end cuts short
    ("id: 1\ndata: a\n\nid: 2\ndata: b\n", &[("", "a", Some("1")), ("", "b", Some("2"))], "2"),
    ("id: 1\ndata: a\n\nid: 2\ndata: b", &[("", "a", Some("1")), ("", "b", Some("2"))], "1"),
    ("id: 1\ndata: a\n\ndata: b\nid: 2", &[("", "a", Some("1")), ("", "b", Some("2"))], "1"),
    ("id: 1\ndata: a\n\nid: 2", &[("", "a", Some("1"))], "1"),
];

#[test]
fn types_and_ids_are_read() {
    for &(text, events, last_event_id) in FIELDS {
        let expected: Vec<Event> = events
            .iter()
            .map(|&(event, data, id)| (event.into(), data.into(), id.map(Into::into)))
            .collect();
        let outcome = read_whole(text.as_bytes());
        assert_eq!(outcome.events, expected, "{text:?}");
        assert_eq!(outcome.last_event_id, last_event_id, "{text:?}");
    }
}

/// An event that has not come whole must be asked for again.
#[test]
fn an_event_under_way_is_not_the_last() {
    let mut parser = SseParser::default();
    let mut events = 0;
    for (piece, expected) in [
        ("id: 1\ndata: a\n", ""),
        ("\n", "1"),
        ("id: 2\n", "1"),
        ("data: b", "1"),
        ("\r\n", "1"),
        ("\r", "2"),
        ("\nid: 3\n\n", "3"),
    ] {
        parser.push(piece.as_bytes(), &mut |_| events += 1).unwrap();
        assert_eq!(parser.last_event_id(), expected, "{piece:?}");
    }
    assert_eq!(events, 2);
}

#[test]
fn a_resumed_stream_knows_where_it_goes_on() {
    let mut parser = SseParser::resumed(100, "7".into());
    assert_eq!((parser.last_event_id(), parser.limit()), ("7", 100));
    parser.push(b"\xef\xbb\xbfdata: a\n\n", &mut |event| assert_eq!(event.id, None)).unwrap();
    assert_eq!(parser.last_event_id(), "7");
    parser.push(b"id: 8\ndata: b\n\n", &mut |event| assert_eq!(event.id, Some("8"))).unwrap();
    assert_eq!(parser.last_event_id(), "8");
}

/// Faulty UTF-8, as `TextDecoder` replaces it.
const INVALID_UTF8: &[(&[u8], &str)] = &[
    (b"\xff", "\u{fffd}"),
    (b"a\x80b", "a\u{fffd}b"),
    (b"\xc0\xaf", "\u{fffd}\u{fffd}"),
    (b"\xc3", "\u{fffd}"),
    (b"\xc3(", "\u{fffd}("),
    (b"\xe2\x82", "\u{fffd}"),
    (b"\xe2\x82x", "\u{fffd}x"),
    (b"\xe2\x82\xe2\x82\xac", "\u{fffd}€"),
    (b"\xe0\x80\x80", "\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xf0\x9f\x98", "\u{fffd}"),
    (b"\xf0\x9f\x98 ", "\u{fffd} "),
    (b"\xf0\x80\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xf4\x90\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    (b"\xf8\x88\x80\x80\x80", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
];

/// A stream of events that each hold these bytes.
fn events_of(contents: &[&[u8]]) -> Vec<u8> {
    contents.iter().flat_map(|content| [b"data: ", *content, b"\n\n"].concat()).collect()
}

#[test]
fn invalid_utf8_is_replaced() {
    for &(bytes, text) in INVALID_UTF8 {
        for stream in [
            [b"data:", bytes, b"\n\n"].concat(),
            [b"data:", bytes].concat(),
            [b"id: x\ndata:", bytes, b"\r\n\r\n"].concat(),
        ] {
            let events = read_whole(&stream).events;
            assert_eq!(events[0].1, text, "{stream:x?}");
        }
    }
    let names = b"\xff\ndata\xff: a\nevent: \xff\nid: \xe2\x82\ndata: b\n\n";
    let expected = ("\u{fffd}".into(), "b".into(), Some("\u{fffd}".into()));
    assert_eq!(read_whole(names).events, [expected]);
}

fn fixtures() -> Vec<Vec<u8>> {
    let texts = MESSAGES.iter().map(|(text, _)| *text).chain(FIELDS.iter().map(|(text, ..)| *text));
    let invalid: Vec<&[u8]> = INVALID_UTF8.iter().map(|(bytes, _)| *bytes).collect();
    texts.map(|text| text.as_bytes().to_vec()).chain([events_of(&invalid)]).collect()
}

#[test]
fn how_a_stream_is_cut_changes_nothing() {
    for stream in fixtures() {
        let expected = read_whole(&stream);
        assert_eq!(expected, reference(&stream), "{}", stream.escape_ascii());
        assert_eq!(read(MAX_EVENT_BYTES, stream.chunks(1)), expected, "{}", stream.escape_ascii());
        for first in 0..=stream.len() {
            let (head, tail) = stream.split_at(first);
            let outcome = read(MAX_EVENT_BYTES, [head, tail]);
            assert_eq!(outcome, expected, "{} at {first}", stream.escape_ascii());
            for second in 0..=tail.len().min(12) {
                let (middle, tail) = tail.split_at(second);
                let outcome = read(MAX_EVENT_BYTES, [head, middle, b"", tail]);
                assert_eq!(outcome, expected, "{} at {first}, {second}", stream.escape_ascii());
            }
        }
    }
}

/// The standard, read line by line from the whole stream. The end of the stream ends its last event.
fn reference(stream: &[u8]) -> Outcome {
    let text = String::from_utf8_lossy(stream.strip_prefix(b"\xef\xbb\xbf").unwrap_or(stream));
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let is_cut = !text.is_empty() && !text.ends_with('\n');
    let mut lines: Vec<&str> = text.split('\n').collect();
    if !is_cut {
        lines.pop();
    }
    lines.push("");

    let mut events = Vec::new();
    let mut last_event_id = String::new();
    let (mut event, mut data, mut id) = (String::new(), Vec::new(), None);
    for (index, line) in lines.iter().enumerate() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => event = value.to_owned(),
            "data" => data.push(value),
            "id" if !value.contains('\0') => id = Some(value.to_owned()),
            _ => {}
        }
        if line.is_empty() {
            let id = id.take();
            if let Some(id) = &id
                && !(is_cut && index + 1 == lines.len())
            {
                last_event_id.clone_from(id);
            }
            if !data.is_empty() {
                events.push((std::mem::take(&mut event), data.join("\n"), id));
            }
            data.clear();
            event.clear();
        }
    }
    Outcome { events, last_event_id, result: Ok(()) }
}

/// Pieces of which streams are made: the tokens of the format, often in places that make sense.
fn stream() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        6 => Just(b"data: {\"type\":\"x\"}\n\n".to_vec()),
        4 => Just(b"data".to_vec()),
        2 => Just(b"id".to_vec()),
        2 => Just(b"event".to_vec()),
        1 => Just(b"retry".to_vec()),
        5 => Just(b":".to_vec()),
        3 => Just(b" ".to_vec()),
        5 => Just(b"\n".to_vec()),
        3 => Just(b"\r".to_vec()),
        3 => Just(b"\r\n".to_vec()),
        1 => Just(b"\0".to_vec()),
        1 => Just(b"\t".to_vec()),
        1 => Just(b"\xef\xbb\xbf".to_vec()),
        2 => "[a-zé€😀]{1,12}".prop_map(String::into_bytes),
        2 => vec(any::<u8>(), 1..4),
    ];
    vec(token, 0..24).prop_map(|tokens| tokens.concat())
}

/// Cuts a stream after these numbers of bytes, again and again.
fn pieces<'a>(stream: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut rest = stream;
    let mut pieces = Vec::new();
    for &length in lengths.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (piece, tail) = rest.split_at(length.min(rest.len()));
        pieces.push(piece);
        rest = tail;
    }
    pieces
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn any_stream_is_read_as_the_standard_says(
        stream in stream(),
        lengths in vec(1_usize..9, 1..12),
    ) {
        let expected = reference(&stream);
        prop_assert_eq!(&read_whole(&stream), &expected);
        prop_assert_eq!(&read(MAX_EVENT_BYTES, pieces(&stream, &lengths)), &expected);
    }

    #[test]
    fn the_limit_is_met_at_the_same_event_however_the_stream_is_cut(
        stream in stream(),
        lengths in vec(1_usize..9, 1..12),
        limit in 0_usize..40,
    ) {
        let expected = read(limit, [stream.as_slice()]);
        prop_assert_eq!(&read(limit, pieces(&stream, &lengths)), &expected);
        let unlimited = reference(&stream);
        if expected.result.is_ok() {
            prop_assert_eq!(expected, unlimited);
        } else {
            prop_assert!(unlimited.events.starts_with(&expected.events));
        }
    }
}

#[test]
fn an_event_has_its_limit() {
    let error = Err(SseError::EventTooLong { limit: 10 });
    for (stream, result, events) in [
        ("data: 1234\n\ndata: 5678\n\n", Ok(()), 2),
        ("data: 12345\n\n", error, 0),
        ("data: 12345", error, 0),
        (": 123456789", error, 0),
        ("data: a\n\n: 123456789\n\ndata: b\n\n", error, 1),
        // Lines of one event add up, those of several do not.
        ("data: 1\ndata: 2\n\n", Ok(()), 1),
        ("data: 1\ndata: 2\ndata: 3\n\n", error, 0),
        ("data\ndata\ndata\ndata\ndata\ndata\n\n", Ok(()), 1),
        ("data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n", error, 0),
        ("data: 1\n\ndata: 2\n\ndata: 3\n\n", Ok(()), 3),
    ] {
        for pieces in [1, 3, stream.len()] {
            let outcome = read(10, stream.as_bytes().chunks(pieces));
            assert_eq!(outcome.result, result, "{stream:?} by {pieces}");
            assert_eq!(outcome.events.len(), events, "{stream:?} by {pieces}");
        }
    }
}

/// Reading it again with every piece would take hours.
#[test]
fn a_long_line_in_short_reads_is_read_once() {
    let letters = vec![b'a'; 50_000_000];
    let mut lengths = Vec::new();
    let mut parser = SseParser::default();
    let mut push = |bytes: &[u8]| parser.push(bytes, &mut |event| lengths.push(event.data.len()));
    push(b"data: ").unwrap();
    for piece in letters.chunks(1_000) {
        push(piece).unwrap();
    }
    push(b"\n\n").unwrap();
    assert_eq!(lengths, [letters.len()]);
}

#[test]
fn a_line_that_never_ends_is_given_up() {
    let piece = vec![b'a'; 1024 * 1024];
    let mut parser = SseParser::default();
    let fits = (0..100).take_while(|_| parser.push(&piece, &mut |_| panic!("no event")).is_ok());
    assert_eq!(fits.count(), MAX_EVENT_BYTES / piece.len());
    let error = Err(SseError::EventTooLong { limit: MAX_EVENT_BYTES });
    assert_eq!(parser.push(b"\n\ndata: a\n\n", &mut |_| panic!("no event")), error);
    assert_eq!(parser.finish(&mut |_| panic!("no event")), error);
}

/// The usual event is handed out where it stands.
#[test]
fn a_whole_event_is_not_copied() {
    let stream = events_of(&[b"first", b"{\"type\":\"x\"}", "ä€😀".as_bytes()]);
    let mut in_place = Vec::new();
    SseParser::default()
        .push(&stream, &mut |event| {
            in_place.push(stream.as_ptr_range().contains(&event.data.as_ptr()));
        })
        .unwrap();
    // The first line may begin with a byte order mark and is looked at more closely.
    assert_eq!(in_place, [false, true, true]);
}
