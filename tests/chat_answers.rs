//! Tool outputs and approval answers of this client, and that what was received goes back byte
//! for byte.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{Config, Throttle};
use chatwire::error::ErrorKind;
use chatwire::json::Text;
use serde_json::{Value, json};
use support::host::Host;
use support::log::Seen;

/// A value in spellings that parsing and writing again would not keep.
const ODD: &str = r#"{ "n":1.0,"e":1e21,"big":9007199254740993,"k":1,"k":2,"\u0041":"\u0041\/","list":[ 1 , 2 ] }"#;

const FINISH: &str = r#"{"type":"finish"}"#;

fn after(chunks: &[&str]) -> Host {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host.respond(chunks);
    host
}

fn call(input: &str) -> String {
    format!(
        r#"{{"type":"tool-input-available","toolCallId":"c","toolName":"pay","input":{input}}}"#
    )
}

const APPROVAL: &str =
    r#"{"type":"tool-approval-request","approvalId":"a","toolCallId":"c","signature":"s1g"}"#;

/// A chat that waits for an answer to the approval `a` of the tool call `c`.
fn waiting_for_approval() -> Host {
    after(&[&call(ODD), APPROVAL, FINISH])
}

fn part(host: &Host) -> Value {
    host.last_message()["parts"][0].clone()
}

/// More input of a call that was answered already changes nothing, however it is spelled.
#[test]
fn input_behind_its_answer_publishes_nothing() {
    let mut host = Host::new(Config { throttle: Throttle::EveryRead, ..Config::default() });
    host.send("Hi");
    host.answer();
    let delta = r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"["}"#;
    let start = r#"{"type":"tool-input-start","toolCallId":"c","toolName":"pay"}"#;
    host.chunks(&[start, delta]);
    host.add_output("c", "1");
    host.log.clear();
    host.chunks(&[delta]);
    host.chunks(&[delta, delta]);
    assert_eq!(host.log, vec![Seen::Warned("late_tool_input"); 3]);
}

#[test]
fn a_signed_approval_goes_back_byte_for_byte() {
    let request = format!(
        r#"{{"type":"tool-approval-request","approvalId":"\u0061","toolCallId":"c","approvalDescriptor":{ODD},"inputSchemaInput":{ODD},"reason":"\u006fver","isAutomatic":true,"signature":"s\u0031g\/="}}"#
    );
    let mut host = after(&[&call(ODD), &request, FINISH]);
    let reason = Text::from_utf8("fine \"by\" me");
    let id = Text::from_utf8("a");
    host.command(|chat, now| chat.add_approval_response(now, &id, true, Some(&reason), 0));
    host.submit();
    let approval = format!(
        r#""approval":{{"id":"\u0061","descriptor":{ODD},"inputSchemaInput":{ODD},"requestReason":"\u006fver","isAutomatic":true,"signature":"s\u0031g\/=","approved":true,"reason":"fine \"by\" me"}}"#
    );
    let body = &host.opened().messages;
    assert!(body.contains(&approval), "{body}");
    assert!(body.contains(&format!(r#""input":{ODD}"#)), "{body}");
    assert!(body.contains(r#""state":"approval-responded""#));
    assert_eq!(*body, host.chat.export_messages());
}

#[test]
fn everything_received_goes_back_byte_for_byte() {
    let odd = |chunk: &str| chunk.replace("ODD", ODD);
    let output = odd(r#"{"type":"tool-output-available","toolCallId":"c","output":ODD}"#);
    let host = after(&[
        &odd(r#"{"type":"start","messageMetadata":ODD}"#),
        &odd(r#"{"type":"data-x","id":"\u0041","data":ODD}"#),
        &call(ODD),
        &output,
        &odd(r#"{"type":"custom","kind":"\u0061.b","providerMetadata":{"p":ODD}}"#),
        FINISH,
    ]);
    let export = host.chat.export_messages();
    for text in [
        odd(r#""metadata":ODD"#),
        odd(r#""id":"\u0041","data":ODD"#),
        odd(r#""input":ODD"#),
        odd(r#""output":ODD"#),
        odd(r#""kind":"\u0061.b","providerMetadata":{"p":ODD}"#),
    ] {
        assert!(export.contains(&text), "{text} is not in {export}");
    }
}

/// The text of a message that the app supplies, unknown fields and key order included.
#[test]
fn a_message_of_the_app_goes_back_byte_for_byte() {
    let json = r#"{"x":1.0,"id":"m\u0031","createdAt":"\u0041","role":"user","parts":[{"b":1e0,"type":"text","text":"a\/b"}],"y":[ ]}"#;
    let mut host = Host::new(Config::default());
    host.send_json(json, None);
    assert_eq!(host.opened().messages, format!("[{json}]"));
}

#[test]
fn an_approval_is_answered_once() {
    for (first, second, expected) in [
        (true, true, None),
        (false, false, None),
        (true, false, Some(ErrorKind::AlreadyAnswered)),
        (false, true, Some(ErrorKind::AlreadyAnswered)),
    ] {
        let mut host = waiting_for_approval();
        let answer = host.approve("a", first);
        assert_eq!(host.settled(answer), Some(None));
        assert_eq!(part(&host)["state"], json!("approval-responded"));
        assert_eq!(part(&host)["approval"]["approved"], json!(first));
        let before = host.chat.export_messages();
        let again = host.approve("a", second);
        assert_eq!(host.settled(again), Some(expected), "{first}, then {second}");
        assert_eq!(host.chat.export_messages(), before, "the second answer changes nothing");
        assert_eq!(host.warnings().len(), usize::from(expected.is_some()));
    }
}

#[test]
fn unknown_ids_are_refused_with_a_warning() {
    let mut host = waiting_for_approval();
    let approval = host.approve("nobody", true);
    let output = host.add_output("nobody", "1");
    assert_eq!(host.settled(approval), Some(Some(ErrorKind::UnknownApproval)));
    assert_eq!(host.settled(output), Some(Some(ErrorKind::UnknownToolCall)));
    assert_eq!(host.warnings(), ["unknown_approval", "unknown_tool_call"]);
}

#[test]
fn a_withdrawn_approval_is_refused() {
    let mut host = after(&[
        &call("1"),
        APPROVAL,
        r#"{"type":"tool-output-error","toolCallId":"c","errorText":"expired"}"#,
        FINISH,
    ]);
    let answer = host.approve("a", true);
    assert_eq!(host.settled(answer), Some(Some(ErrorKind::AlreadyAnswered)));
    assert_eq!(part(&host)["state"], json!("output-error"));
}

#[test]
fn a_tool_output_is_kept_byte_for_byte_and_given_once() {
    let mut host = after(&[&call("{}"), FINISH]);
    let output = host.add_output("c", ODD);
    assert_eq!(host.settled(output), Some(None));
    let export = host.chat.export_messages();
    assert!(export.contains(&format!(r#""output":{ODD}"#)), "{export}");
    assert!(export.contains(r#""state":"output-available""#));

    let same = ODD.replace("1.0", "1").replace(r"\u0041", "A").replace(r#""k":1,"#, "");
    let same = host.add_output("c", &same);
    assert_eq!(host.settled(same), Some(None), "the same value in another spelling");
    let other = host.add_output("c", &ODD.replace("9007199254740993", "9007199254740992"));
    assert_eq!(host.settled(other), Some(Some(ErrorKind::AlreadyAnswered)));
    let error = host.add_error("c", "no");
    assert_eq!(host.settled(error), Some(Some(ErrorKind::AlreadyAnswered)));
    assert_eq!(host.chat.export_messages(), export);
}

#[test]
fn a_tool_error_is_given_once() {
    let mut host = after(&[&call("{}"), FINISH]);
    host.add_error("c", "no\n");
    assert_eq!(part(&host)["state"], json!("output-error"));
    assert_eq!(part(&host)["errorText"], json!("no\n"));
    let same = host.add_error("c", "no\n");
    let other = host.add_output("c", "1");
    assert_eq!(host.settled(same), Some(None));
    assert_eq!(host.settled(other), Some(Some(ErrorKind::AlreadyAnswered)));
}

#[test]
fn a_preliminary_output_of_the_server_is_not_final() {
    let preliminary =
        r#"{"type":"tool-output-available","toolCallId":"c","output":1,"preliminary":true}"#;
    let mut host = after(&[&call("{}"), preliminary, FINISH]);
    let output = host.add_output("c", "2");
    assert_eq!(host.settled(output), Some(None));
    let expected = json!({"type": "tool-pay", "toolCallId": "c", "state": "output-available",
        "input": {}, "output": 2});
    assert_eq!(part(&host), expected);
}

#[test]
fn an_output_keeps_a_granted_approval_and_drops_an_open_one() {
    let mut host = waiting_for_approval();
    host.approve("a", true);
    host.add_output("c", "1");
    assert_eq!(part(&host)["approval"]["approved"], json!(true));

    let mut host = waiting_for_approval();
    host.add_output("c", "1");
    assert_eq!(part(&host).get("approval"), None, "as in the AI SDK");
}

#[test]
fn an_output_may_come_while_the_input_streams() {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host.answer();
    let delta = r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{\"a\":[1"}"#;
    host.chunks(&[r#"{"type":"tool-input-start","toolCallId":"c","toolName":"x"}"#, delta]);
    let output = host.add_output("c", "7");
    assert_eq!(host.settled(output), Some(None));
    host.chunks(&[delta]);
    assert_eq!(host.warnings(), ["late_tool_input"], "input that comes later changes nothing");
    assert_eq!(part(&host)["input"], json!({"a": [1]}));
    assert_eq!(part(&host)["output"], json!(7));
    host.done();
    host.assert_at_rest();
}

#[test]
fn an_answered_approval_whose_request_failed_is_sent_again() {
    let mut host = waiting_for_approval();
    host.send("Something else meanwhile");
    host.respond(&[r#"{"type":"text-delta","id":"t","delta":"text"}"#, FINISH]);
    host.approve("a", true);
    host.submit();
    let approved = host.opened().kind.clone();
    assert_eq!(
        approved,
        chatwire::chat::RequestKind::Submit { message_id: Some(Text::from_utf8("response-1")) },
        "the message with the approval, not the last one"
    );
    host.disconnect();
    host.submit();
    assert_eq!(host.opened().kind, approved);
}
