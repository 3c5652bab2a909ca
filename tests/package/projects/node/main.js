import * as chatwire from "chatwire";
import { talk } from "./talk.js";

console.log(JSON.stringify(await talk(chatwire, process.argv[2])));
