// chatwire/markdown-react: blocks as memoised components.

import { initMarkdown, type MarkdownNode } from "chatwire/markdown";
import { Markdown, type MarkdownComponents } from "chatwire/markdown-react";
import { renderToString } from "react-dom/server";
import { hydrateRoot } from "react-dom/client";
import { equal, mount, ok, test, until } from "./harness.js";
import { HTML, SOURCE } from "./markdown-elements.js";

/** The text of the first child, however deep. */
function textOf(node: MarkdownNode): string {
  if ("value" in node) return node.value;
  return "children" in node && node.children[0] ? textOf(node.children[0]) : "";
}

test(
  "until the WebAssembly is there the text shows as it is written, also on a server",
  async () => {
    const element = document.createElement("div");
    document.body.append(element);
    const markdown = <Markdown text={"*a* <b>"} className="answer" />;
    element.innerHTML = renderToString(markdown);
    equal(element.innerHTML, '<div class="answer"><p>*a* &lt;b&gt;</p></div>');
    const root = hydrateRoot(element, markdown);
    await until(() => element.querySelector("em"), "the text is parsed");
    equal(element.innerHTML, '<div class="answer"><p><em>a</em> &lt;b&gt;</p></div>');
    root.unmount();
  },
  "own",
);

test(
  "React makes the same elements of Markdown as renderMarkdown",
  async () => {
    await initMarkdown();
    const { element, render } = mount(<Markdown text="" />, { strict: true });
    for (let length = 0; length < SOURCE.length; length += 7) {
      render(<Markdown text={SOURCE.slice(0, length)} streaming />);
      await new Promise((resolve) => setTimeout(resolve));
    }
    render(<Markdown text={SOURCE} />);
    await until(() => element.textContent!.includes("<script>y</script>"));
    // The order of attributes, and how the style is spelled, is React's.
    const checked = element.querySelector("input")!;
    ok(checked.checked && checked.disabled, "the box is checked and disabled");
    checked.outerHTML = '<input type="checkbox" disabled="" checked="">';
    equal(element.firstElementChild!.innerHTML, HTML);
  },
  "own",
);

test(
  "only what changed renders",
  async () => {
    await initMarkdown();
    const renders: string[] = [];
    const components: MarkdownComponents = {
      heading: ({ node, children }) => {
        renders.push(`heading ${node.depth}`);
        return <h6>{children}</h6>;
      },
      listItem: ({ node, children }) => {
        renders.push(`item ${textOf(node)}`);
        return <li>{children}</li>;
      },
      code: ({ node }) => {
        renders.push(`code ${node.value}`);
        return <figure>{node.value}</figure>;
      },
      link: ({ node, children }) => <a data-url={node.url}>{children}</a>,
    };
    const page = (text: string) => <Markdown text={text} streaming components={components} />;
    const { element, render } = mount(page("# a\n\n- [b](/c)\n- d"));
    await until(() => element.querySelectorAll("li").length === 2);
    equal(renders.splice(0), ["heading 1", "item b", "item d"]);
    render(page("# a\n\n- [b](/c)\n- de"));
    await until(() => element.textContent === "abde");
    equal(renders.splice(0), ["item de"]);
    render(page("# a\n\n- [b](/c)\n- de\n\n```\nf"));
    await until(() => element.querySelector("figure"));
    equal(renders.splice(0), ["code f"]);
    equal(
      element.innerHTML,
      '<div><h6>a</h6><ul><li><a data-url="/c">b</a></li><li>de</li></ul><figure>f</figure></div>',
    );
  },
  "own",
);
