// chatwire/markdown without a framework: elements that are changed as the text grows.

import { createMarkdown, initMarkdown, renderMarkdown, type RenderMarkdownOptions } from "chatwire/markdown";
import { equal, ok, test } from "./harness.js";

/** A text with all kinds of blocks, and what is made of it. */
export const SOURCE = `# A *b*

c \`d\` [e](/f "g") ~~h~~ **i**\\
j <b>k</b> [l](javascript:m)

- [x] n
- o
  - p

3. q

   r

> s

| t | u |
|:-:|---|
| v |

\`\`\`js
w < x
\`\`\`

---
<script>y</script>
`;

export const HTML =
  "<h1>A <em>b</em></h1>" +
  '<p>c <code>d</code> <a href="/f" rel="noopener noreferrer" title="g">e</a> <del>h</del> <strong>i</strong><br>' +
  "j &lt;b&gt;k&lt;/b&gt; l</p>" +
  '<ul><li><input type="checkbox" disabled="" checked=""> n</li><li>o<ul><li>p</li></ul></li></ul>' +
  '<ol start="3"><li><p>q</p><p>r</p></li></ol>' +
  "<blockquote><p>s</p></blockquote>" +
  '<table><thead><tr><th style="text-align: center;">t</th><th>u</th></tr></thead>' +
  '<tbody><tr><td style="text-align: center;">v</td><td></td></tr></tbody></table>' +
  '<pre><code class="language-js">w &lt; x</code></pre>' +
  "<hr><p>&lt;script&gt;y&lt;/script&gt;</p>";

async function render(options?: RenderMarkdownOptions) {
  const element = document.createElement("div");
  document.body.append(element);
  const view = renderMarkdown(element, options);
  await view.ready;
  return { element, view };
}

test(
  "Markdown becomes elements, and in pieces the same ones",
  async () => {
    const whole = await render();
    whole.view.set(SOURCE);
    whole.view.finish();
    equal(whole.element.innerHTML, HTML);
    const pieces = await render();
    const once = await render();
    let length = 0;
    for (const character of SOURCE) {
      pieces.view.append(character);
      length += character.length;
      // A text that does not begin with the other one is rendered anew.
      once.view.set("");
      once.view.set(SOURCE.slice(0, length));
      equal(pieces.element.innerHTML, once.element.innerHTML, SOURCE.slice(0, length));
    }
    pieces.view.finish();
    equal(pieces.element.innerHTML, HTML);
  },
  "own",
);

test(
  "elements of what did not change stay the same",
  async () => {
    const { element, view } = await render();
    view.append("a\n\n- b\n- c");
    const [paragraph, list] = element.children;
    const [first, second] = list!.children;
    view.append("d\n- e\n\nf");
    ok(element.children[0] === paragraph && element.children[1] === list, "blocks");
    ok(list!.children[0] === first && list!.children[1] === second, "items");
    equal(element.innerHTML, "<p>a</p><ul><li>b</li><li>cd</li><li>e</li></ul><p>f</p>");
    view.append("\n\n| g |\n|---|\n| h |");
    const row = element.querySelector("tbody tr");
    view.append("\n| i |\n\n```\nj");
    ok(element.querySelector("tbody tr") === row, "rows");
    const code = element.querySelector("code")!.firstChild;
    view.append("k\nl");
    ok(element.querySelector("code")!.firstChild === code, "the text of code grows");
    equal(code!.nodeValue, "jk\nl");
    view.set("# m");
    equal(element.innerHTML, "<h1>m</h1>");
  },
  "own",
);

test(
  "the app makes the element of code, and changes it",
  async () => {
    const calls: string[] = [];
    const { element, view } = await render({
      renderCode(code, previous) {
        calls.push(code.value);
        const shown = previous ?? document.createElement("figure");
        shown.textContent = `${code.lang}: ${code.value}`;
        return shown;
      },
    });
    view.append("```js\na");
    const figure = element.querySelector("figure");
    view.append("b\n```\n\nc");
    view.append("d");
    equal(element.innerHTML, "<figure>js: ab</figure><p>cd</p>");
    ok(element.querySelector("figure") === figure, "the same element");
    equal(calls, ["a", "ab"]);
  },
  "own",
);

test(
  "the blocks are there for the app",
  async () => {
    await initMarkdown();
    const stream = createMarkdown();
    stream.append("# a");
    equal(stream.blocks, [{ type: "heading", depth: 1, children: [{ type: "text", value: "a" }] }]);
  },
  "own",
);
