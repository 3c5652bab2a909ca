import * as chatwire from "chatwire/inline";
import { talk } from "./talk.js";

globalThis.talk = (api) => talk(chatwire, api);
