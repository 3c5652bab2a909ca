"use client";

/**
 * `chatwire/markdown-react`: Markdown that grows, each block a memoised component.
 *
 * @module
 */

import {
  createMarkdown,
  initMarkdown,
  type MarkdownInline,
  type MarkdownNode,
  type MarkdownNodeOf,
} from "chatwire/markdown";
import {
  type ComponentType,
  createElement,
  Fragment,
  memo,
  type ReactElement,
  type ReactNode,
  useState,
  useSyncExternalStore,
} from "react";

/** What a component of the app gets in place of an element of {@link Markdown}. */
export interface MarkdownComponentProps<TYPE extends MarkdownNode["type"]> {
  /** The node. The same object as long as nothing in it changes. */
  node: MarkdownNodeOf<TYPE>;
  /** What the node holds, as elements. Nothing for `code`, `inlineCode`, `image` and `thematicBreak`. */
  children?: ReactNode;
}

/**
 * Components in place of the elements that {@link Markdown} makes, by the type of node: `code` for a
 * highlighter, `link` for a router. The same object in each render, or every block renders again.
 */
export type MarkdownComponents = {
  [TYPE in Exclude<MarkdownNode["type"], "text" | "break" | "tableRow" | "tableCell">]?: ComponentType<
    MarkdownComponentProps<TYPE>
  >;
};

/** Props of {@link Markdown}. */
export interface MarkdownProps {
  /** The text. As long as it goes on, only what changed of it is parsed and rendered. */
  text: string;
  /** Whether more text is to come: what is open at the end is closed for display. Default: false. */
  streaming?: boolean;
  /** Components in place of elements. */
  components?: MarkdownComponents;
  /** The schemes that URLs may have; those of the first render count. Default: `http`, `https`, `mailto`. */
  urlSchemes?: readonly string[];
  /** The class of the `div` around the blocks. */
  className?: string;
}

/**
 * A Markdown text. HTML in it shows as text. On a server, and until the WebAssembly is loaded, the text
 * shows as it is written, in one paragraph.
 */
export function Markdown(props: MarkdownProps): ReactElement {
  const { text, streaming = false, components = NONE, urlSchemes, className } = props;
  const [stream] = useState(() => createMarkdown(urlSchemes && { urlSchemes }));
  const isReady = useSyncExternalStore(subscribe, () => stream.isReady, () => false);
  if (!isReady) return createElement("div", { className }, createElement("p", null, text));
  stream.set(text);
  if (!streaming) stream.finish();
  const blocks = stream.blocks.map((node, key) => createElement(Block, { key, node, components }));
  return createElement("div", { className }, blocks);
}

const NONE: MarkdownComponents = {};

function subscribe(onChange: () => void): () => void {
  let isSubscribed = true;
  initMarkdown().then(
    () => isSubscribed && onChange(),
    // The text stays as it is written.
    () => {},
  );
  return () => void (isSubscribed = false);
}

interface BlockProps {
  node: MarkdownNode;
  components: MarkdownComponents;
  /** In an item of a tight list: a paragraph has no element. */
  isTight?: boolean;
  /** The columns of the table. */
  align?: MarkdownNodeOf<"table">["align"];
  isHeader?: boolean;
}

/** One block, item or row. It renders again only when its node is another one. */
const Block = memo(renderBlock);

function renderBlock({ node, components, isTight, align, isHeader }: BlockProps): ReactNode {
  const blocks = (nodes: readonly MarkdownNode[], props?: Partial<BlockProps>) =>
    nodes.map((child, key) => createElement(Block, { key, node: child, components, ...props }));
  switch (node.type) {
    case "paragraph": {
      const children = inline(node.children, components);
      return isTight ? children : element(node, "p", {}, components, children);
    }
    case "heading":
      return element(node, `h${node.depth}`, {}, components, inline(node.children, components));
    case "blockquote":
      return element(node, "blockquote", {}, components, blocks(node.children));
    case "list": {
      const { ordered, start, spread } = node;
      const props = start === null || start === 1 ? {} : { start };
      const items = blocks(node.children, { isTight: !spread });
      return element(node, ordered ? "ol" : "ul", props, components, items);
    }
    case "listItem": {
      const children = blocks(node.children, isTight ? { isTight } : {});
      return element(node, "li", {}, components, [checkbox(node), ...children]);
    }
    case "code": {
      const className = node.lang === null ? undefined : `language-${node.lang}`;
      const code = createElement("code", { className }, node.value);
      return components.code
        ? createElement(components.code, { node })
        : createElement("pre", null, code);
    }
    case "table": {
      const [header, ...rows] = node.children;
      const head = header ? blocks([header], { align: node.align, isHeader: true }) : [];
      const body = blocks(rows, { align: node.align });
      return element(node, "table", {}, components, [
        createElement("thead", { key: "head" }, head),
        createElement("tbody", { key: "body" }, body),
      ]);
    }
    case "tableRow":
      return createElement(
        "tr",
        null,
        (align ?? []).map((textAlign, key) =>
          createElement(
            isHeader ? "th" : "td",
            textAlign ? { key, style: { textAlign } } : { key },
            inline(node.children[key]?.children ?? [], components),
          ),
        ),
      );
    case "thematicBreak":
      return element(node, "hr", {}, components);
    default:
      return null;
  }
}

function checkbox({ checked }: MarkdownNodeOf<"listItem">): ReactNode {
  if (checked === null) return null;
  const box = createElement("input", { type: "checkbox", disabled: true, checked, readOnly: true });
  return createElement(Fragment, { key: "box" }, box, " ");
}

/** The app's component for a node, or an element. */
function element(
  node: MarkdownNode,
  tag: string,
  props: object,
  components: MarkdownComponents,
  children?: ReactNode,
): ReactElement {
  const own = (components as Record<string, ComponentType<{ node: MarkdownNode }>>)[node.type];
  if (own) return createElement(own, { node }, children);
  return createElement(tag, props, children);
}

function inline(nodes: readonly MarkdownInline[], components: MarkdownComponents): ReactNode[] {
  return nodes.map((node, key) =>
    createElement(Fragment, { key }, inlineElement(node, components)),
  );
}

const INLINE_TAGS = { emphasis: "em", strong: "strong", delete: "del" } as const;

function inlineElement(node: MarkdownInline, components: MarkdownComponents): ReactNode {
  switch (node.type) {
    case "text":
      return node.value;
    case "break":
      return createElement("br");
    case "inlineCode":
      return components.inlineCode
        ? createElement(components.inlineCode, { node })
        : createElement("code", null, node.value);
    case "emphasis":
    case "strong":
    case "delete":
      return element(node, INLINE_TAGS[node.type], {}, components, inline(node.children, components));
    case "link": {
      const { url: href, title } = node;
      const props = { href, rel: "noopener noreferrer", title: title ?? undefined };
      return element(node, "a", props, components, inline(node.children, components));
    }
    case "image":
      return element(
        node,
        "img",
        { src: node.url, alt: node.alt, title: node.title ?? undefined },
        components,
      );
  }
}
