import { createMarkdown } from "chatwire/markdown";

const stream = createMarkdown();
await stream.ready();
stream.append("*a");
console.log(JSON.stringify(stream.blocks));
