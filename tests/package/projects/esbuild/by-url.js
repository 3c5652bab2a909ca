import * as chatwire from "chatwire";
import { talk } from "./talk.js";

globalThis.talk = (api) => talk(chatwire, api);
