//! Memory stays within what the limits say, whatever is sent.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]
#![allow(unsafe_code)] // an allocator that counts

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use chatwire::chat::{
    Changes, Chat, Config, NewMessage, Output, ResponseHead, SendMessage, StreamKind,
};
use chatwire::error::ErrorKind;
use chatwire::limits::MAX_EVENT_BYTES;

struct Counting;

static USED: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grow(bytes: usize) {
    let used = USED.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(used, Ordering::Relaxed);
}

// SAFETY: every call is handed to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grow(layout.size());
        // SAFETY: the caller's contract
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's contract
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // As if the old and the new block were there at once, which the system may avoid.
        grow(size);
        USED.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's contract
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Tests of one process run side by side; what one allocates must not count for another.
static ALONE: Mutex<()> = Mutex::new(());

const MIB: usize = 1024 * 1024;

/// The most bytes that were in use beyond those at the start.
fn peak_of(run: impl FnOnce()) -> usize {
    let before = USED.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    run();
    PEAK.load(Ordering::Relaxed) - before
}

/// A chat whose request is open, and its request.
fn open() -> (Chat, u32) {
    let mut chat = Chat::new(Config::default());
    let message = NewMessage::parse(r#"{"id":"user","role":"user","parts":[]}"#, 0).ok();
    chat.send_message(0.0, SendMessage { message, ..SendMessage::default() });
    let mut request = 0;
    while let Some(output) = chat.poll_output() {
        if let Output::OpenRequest(open) = output {
            request = open.request;
        }
    }
    let head = ResponseHead { status: 200, is_ui_stream: true, ..ResponseHead::default() };
    chat.handle_head(request, head, StreamKind::EventStream);
    drain(&mut chat);
    (chat, request)
}

fn drain(chat: &mut Chat) {
    let mut changes = Changes::default();
    while let Some(output) = chat.poll_output() {
        if output == Output::Publish {
            chat.take_changes(&mut changes);
        }
    }
}

/// Feeds a piece again and again, up to this many bytes or until the response fails.
fn feed(chat: &mut Chat, request: u32, piece: &[u8], bytes: usize) {
    for _ in 0..bytes / piece.len() {
        chat.handle_bytes(0.0, request, piece);
        drain(chat);
        if chat.error().is_some() {
            return;
        }
    }
}

/// The error and the peak of a stream that begins so and then repeats a piece.
fn endless(start: &str, piece: &[u8], bytes: usize) -> (Option<ErrorKind>, usize) {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut error = None;
    let peak = peak_of(|| {
        let (mut chat, request) = open();
        chat.handle_bytes(0.0, request, start.as_bytes());
        feed(&mut chat, request, piece, bytes);
        error = chat.error().map(|error| error.kind);
        assert!(chat.messages()[0].id().as_str() == Some("user"));
    });
    (error, peak)
}

/// A buffer that doubles holds up to twice what is in it, beside the half from before.
const MOST: usize = 3 * MAX_EVENT_BYTES + MIB;

#[test]
fn a_line_that_never_ends() {
    for start in ["data: {\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"", ": ", "unknown"] {
        let (error, peak) = endless(start, &[b'x'; MIB], 70 * MIB);
        assert_eq!(error, Some(ErrorKind::LimitExceeded), "{start}");
        assert!(peak < MOST, "{start}: {} MiB", peak / MIB);
    }
}

#[test]
fn an_event_that_never_ends() {
    let mut line = vec![b'x'; MIB];
    line[..6].copy_from_slice(b"data: ");
    line[MIB - 1] = b'\n';
    let (error, peak) = endless("", &line, 70 * MIB);
    assert_eq!(error, Some(ErrorKind::LimitExceeded));
    assert!(peak < MOST, "{} MiB", peak / MIB);
}

#[test]
fn what_says_nothing_keeps_nothing() {
    for (piece, most) in [
        (": keep-alive\n\n".repeat(4096), MIB),
        ("event: x\nid: y\nretry: 1\n\n".repeat(4096), MIB),
        ("\n\r\n\r".repeat(16384), MIB),
        ("data: {\"type\":\"hologram\"}\n\n".repeat(1024), MIB),
        (
            "data: {\"type\":\"data-x\",\"data\":\"xxxxxxxx\",\"transient\":true}\n\n".repeat(1024),
            MIB,
        ),
        ("data: {\"type\":\"data-x\",\"id\":\"1\",\"data\":[1,2,3,4,5,6]}\n\n".repeat(1024), MIB),
        ("data: {\"type\":\"text-end\",\"id\":\"nobody\"}\n\n".repeat(1024), MIB),
        (
            "data: {\"type\":\"message-metadata\",\"messageMetadata\":{\"n\":1}}\n\n".repeat(1024),
            MIB,
        ),
    ] {
        let (error, peak) = endless("", piece.as_bytes(), 4 * MIB);
        assert_eq!(error, None);
        assert!(peak < most, "{piece:.40}: {} KiB", peak / 1024);
    }
}

/// A line of 50 MB that is a chunk is one.
#[test]
fn a_long_text_costs_a_few_times_its_length() {
    const LENGTH: usize = 50 * MIB;
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let peak = peak_of(|| {
        let (mut chat, request) = open();
        let start = b"data: {\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"";
        chat.handle_bytes(0.0, request, start);
        feed(&mut chat, request, &[b'x'; MIB], LENGTH);
        chat.handle_bytes(0.0, request, b"\"}\n\ndata: {\"type\":\"finish\"}\n\n");
        drain(&mut chat);
        chat.handle_end(0.0, request);
        drain(&mut chat);
        assert_eq!(chat.error(), None);
        assert!(chat.export_messages().len() > LENGTH);
    });
    assert!(peak < 8 * LENGTH, "{} MiB", peak / MIB);
}
