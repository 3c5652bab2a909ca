// The server's side from the packed tarball: an approval, merged and stored with its exact text.
import { mergeClientToolResponses, rawJson } from "chatwire/agent";

const stored =
  '{"id":"m","role":"assistant","parts":[{"type":"tool-pay","toolCallId":"c","state":"approval-requested","input":{"amount":1.0},"approval":{"id":"a","signature":"s"}}]}';
const incoming = JSON.parse(stored);
incoming.parts[0].state = "approval-responded";
incoming.parts[0].approval.approved = true;

const { message, merged, rejected } = await mergeClientToolResponses(stored, incoming);
console.log(JSON.stringify({ merged, rejected, text: rawJson(message) }));
