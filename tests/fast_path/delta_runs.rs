//! Random streams of runs of deltas that are spelled alike, of events that nearly are, and of what
//! may come between them.

use chatwire::chat::{Config, Throttle};

use super::scenario::{Answer, Body, Command, Scenario};
use super::support::host::ui_stream_head;
use super::support::random::Random;

const IDS: &[&str] = &["a", "b", "__proto__", "\\u0061", "é"];

/// Contents of a JSON string, and of one that holds JSON: many are cut in the middle of something.
const DELTAS: &[&[u8]] = &[
    b"",
    b"a",
    b"word ",
    b"a longer piece of text",
    "é".as_bytes(),
    "😀".as_bytes(),
    br"\n",
    br#"\""#,
    br"\\",
    br"\u00e9",
    br"\ud83d",
    br"\ude00",
    br"\ud83d\ude00",
    br"\/ \b\f\t",
    br#"\",\"delta\":\""#,
    br#"{\"k\":"#,
    br#"{\"list\":["#,
    br#"\"te"#,
    br#"xt\""#,
    b"1",
    b"2.5e3",
    b"tr",
    b"ue",
    b",",
    b"]",
    b"}",
    br"\\ud83d",
    b"\x7f",
    b"\xe2\x80\xa8",
];

/// What makes the content of a string another one, or none.
const FAULTS: &[&[u8]] = &[
    b"\xff",
    b"\xf0\x9f\x98",
    b"\t",
    b"\x01",
    br"\",
    br"\x",
    br"\u12",
    br"\u00G0",
    b"\"",
    b"\x00",
];

/// Whole chunks that come between deltas; `ID` stands for an id.
const OTHERS: &[&str] = &[
    r#"{"type":"text-end","id":"ID"}"#,
    r#"{"type":"reasoning-end","id":"ID"}"#,
    r#"{"type":"text-start","id":"ID"}"#,
    r#"{"type":"reasoning-start","id":"ID"}"#,
    r#"{"type":"tool-input-start","toolCallId":"ID","toolName":"x"}"#,
    r#"{"type":"tool-input-available","toolCallId":"ID","toolName":"x","input":{ "a" : 1.0 }}"#,
    r#"{"type":"tool-input-error","toolCallId":"ID","toolName":"x","input":1,"errorText":"e"}"#,
    r#"{"type":"data-d","id":"ID","data":[1e2]}"#,
    r#"{"type":"data-d","data":1,"transient":true}"#,
    r#"{"type":"message-metadata","messageMetadata":{"m":{"ID":1}}}"#,
    r#"{"type":"start-step"}"#,
    r#"{"type":"finish-step"}"#,
    r#"{"type":"reset-step"}"#,
    r#"{"type":"source-url","sourceId":"s","url":"https://e.org"}"#,
    r#"{"type":"hologram","id":"ID"}"#,
    r#"{"type":"start"}"#,
    r#"{"type":"start","messageId":"response-1"}"#,
    r#"{"type":"start","messageId":"other"}"#,
    r#"{"type":"finish"}"#,
    r#"{"type":"abort"}"#,
];

/// Lines that are no event, and bytes that break one.
const LINES: &[&[u8]] = &[
    b": comment\n\n",
    b": comment\n",
    b"\n",
    b"\r\n",
    b"\r",
    b"id: 7\n",
    b"event: x\n",
    b"retry: 5\n",
    b"data\n\n",
    b"unknown: x\n\n",
    b"data: [DONE]\n\n",
];

/// How the deltas of a run are spelled.
struct Spelling {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Spelling {
    fn random(random: &mut Random) -> Self {
        let id = *random.pick(IDS);
        let (kind, id_key, delta_key) = *random.pick(&[
            ("text-delta", "id", "delta"),
            ("text-delta", "id", "delta"),
            ("reasoning-delta", "id", "delta"),
            ("tool-input-delta", "toolCallId", "inputTextDelta"),
            ("tool-input-delta", "toolCallId", "inputTextDelta"),
            ("text\\u002ddelta", "id", "delta"),
            ("text-delta", "id", "de\\u006cta"),
        ]);
        let (kind, id) = (format!(r#""type":"{kind}""#), format!(r#""{id_key}":"{id}""#));
        let delta = format!(r#""{delta_key}":"DELTA""#);
        let more = *random.pick(&[
            "",
            "",
            "",
            r#","more":"DELTA ""#,
            r#","delta":"x""#,
            r#","providerMetadata":{"p":{}}"#,
            r#","providerMetadata":null"#,
        ]);
        let json = match random.below(6) {
            0 | 1 => format!("{{{kind},{id},{delta}{more}}}"),
            2 => format!("{{{kind},{delta},{id}{more}}}"),
            3 => format!("{{{delta},{id},{kind}{more}}}"),
            4 => format!("{{ {kind} , {id} , {delta}{more} }} "),
            _ => format!("{{{id}{more},{kind},{delta}}}"),
        };
        let (start, end) = *random.pick(&[
            ("data: ", "\n\n"),
            ("data: ", "\n\n"),
            ("data: ", "\n\n"),
            ("data:", "\n\n"),
            ("data: ", "\r\n\r\n"),
            ("id: 1\ndata: ", "\n\n"),
            ("data:  ", "\n\n\n"),
        ]);
        let event = format!("{start}{json}{end}");
        let (before, after) = event.split_once("DELTA").unwrap();
        Self { before: before.into(), after: after.into() }
    }

    fn event(&self, delta: &[u8]) -> Vec<u8> {
        [&self.before, delta, &self.after].concat()
    }
}

/// The scenario of a seed.
pub(crate) fn scenario(seed: u64) -> Scenario {
    let mut random = Random::new(seed);
    let has_schema = random.once_in(4);
    let config = Config {
        throttle: Throttle::EveryRead,
        resume: random.once_in(2),
        report_tool_calls: random.once_in(2),
        report_data: random.once_in(2),
        check_data: has_schema,
        check_metadata: has_schema,
        ..Config::default()
    };
    let mut given = vec![r#"{"id":"user","role":"user","parts":[]}"#.to_owned()];
    if random.once_in(3) {
        let parts = r#"[{"type":"text","text":"a","state":"streaming"}]"#;
        given.push(format!(r#"{{"id":"response-1","role":"assistant","parts":{parts}}}"#));
    }
    let is_resume = config.resume && random.once_in(4);
    let count = if config.resume { 1 + random.below(3) } else { 1 };
    let spellings = [0; 3].map(|_| Spelling::random(&mut random));
    let whole = body(&mut random, &spellings);
    let answers = (0..count).map(|number| {
        let is_lost = number + 1 < count;
        // A server replays, goes on, or begins anew, until the connection breaks again.
        let mut body = match random.below(4) {
            _ if number == 0 => whole.clone(),
            0 => [whole.as_slice(), &body(&mut random, &spellings)].concat(),
            1 | 2 => whole.clone(),
            _ => body(&mut random, &spellings),
        };
        if is_lost {
            body.truncate(1 + random.below(body.len()));
        }
        answer(&mut random, body, is_lost)
    });
    let answers = answers.collect();
    Scenario { config, given, is_resume, head: ui_stream_head(), answers }
}

fn answer(random: &mut Random, body: Vec<u8>, is_lost: bool) -> Answer {
    let longest = *random.pick(&[1, 7, 40, 200, 1500, body.len()]);
    let mut cuts = Vec::new();
    let mut at = 0;
    loop {
        at += 1 + random.below(longest.max(1));
        if at >= body.len() {
            break;
        }
        cuts.push(at);
    }
    let commands = if random.once_in(3) { 1 + random.below(3) } else { 0 };
    let commands = (0..commands).map(|_| (random.below(cuts.len() + 1), command(random)));
    let mut commands: Vec<_> = commands.collect();
    // What a check holds back, it holds back for some reads only.
    commands.extend((0..=cuts.len()).step_by(3).map(|read| {
        let is_accepted = !random.once_in(20);
        (read, Command::Check(is_accepted))
    }));
    Answer { body: Body::new(body), cuts, commands, is_lost }
}

fn command(random: &mut Random) -> Command {
    match random.below(6) {
        0 => Command::Stop,
        1 | 2 => Command::KeepMessages(random.below(4)),
        _ => Command::AddOutput(random.pick::<&str>(&["a", "b", "__proto__", "é"])),
    }
}

fn body(random: &mut Random, spellings: &[Spelling]) -> Vec<u8> {
    let mut body = Vec::new();
    if !random.once_in(3) {
        let start = *random.pick(&[
            r#"{"type":"start"}"#,
            r#"{"type":"start","messageId":"response-1"}"#,
            r#"{"type":"start","messageId":"m"}"#,
        ]);
        body.extend(format!("data: {start}\n\n").into_bytes());
    }
    for _ in 0..2 + random.below(10) {
        match random.below(12) {
            0..=2 => body.extend(other(random, OTHERS.len() - 2)),
            // Few, since nothing counts behind the end.
            3 if random.once_in(4) => body.extend(other(random, OTHERS.len())),
            4 => {
                for _ in 0..1 + random.below(2) {
                    body.extend(*random.pick(LINES));
                }
            }
            _ => run(random, spellings, &mut body),
        }
    }
    if random.once_in(2) {
        body.extend(b"data: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n");
    }
    if random.once_in(6) {
        body.truncate(body.len() - random.below(body.len().min(30)));
    }
    body
}

fn other(random: &mut Random, count: usize) -> Vec<u8> {
    let chunk = random.pick(&OTHERS[..count]).replace("ID", random.pick::<&str>(IDS));
    format!("data: {chunk}\n\n").into_bytes()
}

/// Deltas that are spelled alike, but for a few.
fn run(random: &mut Random, spellings: &[Spelling], body: &mut Vec<u8>) {
    let spelling = random.pick(spellings);
    let fault_once_in = *random.pick(&[1000, 30, 8]);
    for _ in 0..1 + random.below(16) {
        let mut delta = random.pick(DELTAS).to_vec();
        if random.once_in(4) {
            delta.extend(*random.pick(DELTAS));
        }
        let event = spelling.event(&delta);
        let is_near = random.once_in(fault_once_in);
        body.extend(if is_near { near(random, spelling, event) } else { event });
    }
}

/// An event that is nearly one of a run.
fn near(random: &mut Random, spelling: &Spelling, mut event: Vec<u8>) -> Vec<u8> {
    const BYTES: &[u8] = b"\"\\ {}a,:\n\r\xff";
    let at = random.below(event.len());
    match random.below(10) {
        0 => event[at] = *random.pick(BYTES),
        1 => drop(event.remove(at)),
        2 => event.insert(at, *random.pick(BYTES)),
        3 | 4 => {
            let delta = [*random.pick(DELTAS), *random.pick(FAULTS), *random.pick(DELTAS)].concat();
            event = spelling.event(&delta);
        }
        5 => event.splice(0..0, *b": comment\n").for_each(drop),
        6 => event.extend(*random.pick(LINES)),
        7 => event.extend(other(random, OTHERS.len() - 2)),
        // The next event belongs to this one.
        8 => drop(event.pop()),
        // The same JSON on two lines.
        _ => {
            let text = String::from_utf8_lossy(&event);
            event = text.replacen(",\"", ",\ndata: \"", 1).into_bytes();
        }
    }
    event
}
