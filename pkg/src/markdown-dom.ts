/**
 * Markdown as elements of a page, made and changed without HTML text.
 *
 * @module
 */

import type { MarkdownNode, MarkdownNodeOf } from "./markdown-nodes.js";
import type { MarkdownOptions, MarkdownStream } from "./markdown-stream.js";

/** An element. Not named by its global, so that servers can compile without the DOM's types. */
export type PageElement = typeof globalThis extends { Element: { prototype: infer E } } ? E : object;

/** Options of `renderMarkdown`. */
export interface RenderMarkdownOptions extends MarkdownOptions {
  /**
   * Makes the element of code, e.g. with colours; called again whenever the code has changed. `previous`
   * is what it gave before, which it may change and give again. Default: `pre` with `code` in it, of the
   * class `language-LANG`.
   */
  renderCode?: (code: MarkdownNodeOf<"code">, previous: PageElement | undefined) => PageElement;
}

/** A Markdown text that is shown. */
export interface MarkdownView {
  /** The text goes on with `text`. */
  append(text: string): void;
  /** The text is `text` now: it goes on if that begins with it, else it starts anew. */
  set(text: string): void;
  /** The text is complete: what is open at its end shows as it is written. */
  finish(): void;
  /** Settles when the WebAssembly is loaded and shown, or could not be. */
  readonly ready: Promise<void>;
}

/** How a node is shown. */
interface Shown {
  node: MarkdownNode;
  /** At least one, in a row. */
  dom: ChildNode[];
  /** Where the children are, if they are changed one by one. */
  children?: Shown[];
}

/** What surrounds a node. */
interface Context {
  /** In an item of a tight list a paragraph has no element. */
  readonly isTight?: boolean;
  readonly table?: MarkdownNodeOf<"table">;
  readonly isHeader?: boolean;
}

const NONE: Context = {};

/** The text of a stream in an element. */
export class DomMarkdownView implements MarkdownView {
  readonly ready: Promise<void>;
  readonly #stream: MarkdownStream;
  readonly #element: PageElement;
  readonly #renderCode: NonNullable<RenderMarkdownOptions["renderCode"]>;
  readonly #shown: Shown[] = [];

  constructor(stream: MarkdownStream, element: PageElement, options: RenderMarkdownOptions = {}) {
    this.#stream = stream;
    this.#element = element;
    this.#renderCode = options.renderCode ?? renderCode;
    element.replaceChildren();
    this.ready = stream.ready().then(() => this.#update());
    // The text shows as it is written; who waits learns why.
    this.ready.catch(() => {});
  }

  append(text: string): void {
    this.#stream.append(text);
    this.#update();
  }

  set(text: string): void {
    this.#stream.set(text);
    this.#update();
  }

  finish(): void {
    this.#stream.finish();
    this.#update();
  }

  #update(): void {
    this.#updateChildren(this.#shown, this.#stream.blocks, this.#element, NONE);
  }

  #updateChildren(
    shown: Shown[],
    nodes: readonly MarkdownNode[],
    parent: Element,
    context: Context,
  ): void {
    for (const { dom } of shown.splice(nodes.length)) for (const node of dom) node.remove();
    nodes.forEach((node, index) => {
      const known = shown[index];
      if (!known) {
        shown.push(this.#show(node, context));
        parent.append(...(shown.at(-1) as Shown).dom);
      } else if (known.node !== node) {
        this.#change(known, node, context);
      }
    });
  }

  #change(shown: Shown, node: MarkdownNode, context: Context): void {
    const previous = shown.node;
    shown.node = node;
    const [first, ...others] = shown.dom as [ChildNode, ...ChildNode[]];
    if (previous.type === "code" && node.type === "code") {
      const element = this.#renderCode(node, first as Element);
      if (element !== first) first.replaceWith(element);
      shown.dom = [element];
    } else if (shown.children && isSameElement(previous, node)) {
      this.#changeChildren(shown.children, node, first as Element, context);
    } else {
      for (const other of others) other.remove();
      const fresh = this.#show(node, context);
      first.replaceWith(...fresh.dom);
      Object.assign(shown, fresh);
    }
  }

  #changeChildren(
    shown: Shown[],
    node: MarkdownNode,
    element: Element,
    context: Context,
  ): void {
    if (node.type === "table") this.#updateTable(shown, node, element);
    else if (node.type === "blockquote" || node.type === "list" || node.type === "listItem") {
      this.#updateChildren(shown, node.children, element, inside(node, context));
    }
  }

  #updateTable(rows: Shown[], table: MarkdownNodeOf<"table">, element: Element): void {
    const [head, body] = element.children as unknown as [Element, Element];
    const [header, ...others] = rows;
    const first = header ? [header] : [];
    this.#updateChildren(first, table.children.slice(0, 1), head, { table, isHeader: true });
    this.#updateChildren(others, table.children.slice(1), body, { table });
    rows.splice(0, rows.length, ...first, ...others);
  }

  #show(node: MarkdownNode, context: Context): Shown {
    switch (node.type) {
      case "code":
        return { node, dom: [this.#renderCode(node, undefined)] };
      case "blockquote":
      case "list":
      case "listItem": {
        const element = containerElement(node);
        const children: Shown[] = [];
        this.#updateChildren(children, node.children, element, inside(node, context));
        return { node, dom: [element], children };
      }
      case "table": {
        const element = document.createElement("table");
        element.append(document.createElement("thead"), document.createElement("tbody"));
        const children: Shown[] = [];
        this.#updateTable(children, node, element);
        return { node, dom: [element], children };
      }
      case "tableRow":
        return { node, dom: [rowElement(node, context)] };
      case "paragraph":
        if (context.isTight) {
          const dom = node.children.map(inlineNode);
          return { node, dom: dom.length > 0 ? dom : [document.createTextNode("")] };
        }
        return { node, dom: [withChildren("p", node.children)] };
      case "heading":
        return { node, dom: [withChildren(`h${node.depth}`, node.children)] };
      case "thematicBreak":
        return { node, dom: [document.createElement("hr")] };
      default:
        return { node, dom: [inlineNode(node)] };
    }
  }
}

/** Whether the element of one node, without its children, is that of the other, too. */
function isSameElement(one: MarkdownNode, other: MarkdownNode): boolean {
  const own = (node: MarkdownNode) => JSON.stringify({ ...node, children: undefined });
  return own(one) === own(other);
}

function inside(node: MarkdownNode, context: Context): Context {
  if (node.type === "list") return { isTight: !node.spread };
  return node.type === "listItem" ? context : NONE;
}

function containerElement(node: MarkdownNodeOf<"blockquote" | "list" | "listItem">): Element {
  if (node.type === "blockquote") return document.createElement("blockquote");
  if (node.type === "list") {
    const list = document.createElement(node.ordered ? "ol" : "ul");
    if (node.start !== null && node.start !== 1) list.setAttribute("start", String(node.start));
    return list;
  }
  const item = document.createElement("li");
  if (node.checked !== null) {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.disabled = true;
    box.toggleAttribute("checked", node.checked);
    item.append(box, " ");
  }
  return item;
}

function rowElement(node: MarkdownNodeOf<"tableRow">, { table, isHeader }: Context): Element {
  const row = document.createElement("tr");
  table?.align.forEach((align, column) => {
    const cell = withChildren(isHeader ? "th" : "td", node.children[column]?.children ?? []);
    if (align) cell.style.textAlign = align;
    row.append(cell);
  });
  return row;
}

function renderCode(node: MarkdownNodeOf<"code">, previous: Element | undefined): Element {
  const text = previous?.firstChild?.firstChild;
  const lang = node.lang === null ? "" : `language-${node.lang}`;
  if (text instanceof Text && text.parentElement?.className === lang && node.value.startsWith(text.data)) {
    text.appendData(node.value.slice(text.length));
    return previous as Element;
  }
  const code = document.createElement("code");
  code.className = lang;
  code.append(document.createTextNode(node.value));
  const pre = document.createElement("pre");
  pre.append(code);
  return pre;
}

const INLINE_TAGS = { emphasis: "em", strong: "strong", delete: "del" } as const;

function inlineNode(node: MarkdownNode): ChildNode {
  switch (node.type) {
    case "emphasis":
    case "strong":
    case "delete":
      return withChildren(INLINE_TAGS[node.type], node.children);
    case "inlineCode": {
      const code = document.createElement("code");
      code.append(node.value);
      return code;
    }
    case "break":
      return document.createElement("br");
    case "link": {
      const link = withChildren("a", node.children);
      link.setAttribute("href", node.url);
      link.setAttribute("rel", "noopener noreferrer");
      if (node.title !== null) link.title = node.title;
      return link;
    }
    case "image": {
      const image = document.createElement("img");
      image.alt = node.alt;
      if (node.title !== null) image.title = node.title;
      image.setAttribute("src", node.url);
      return image;
    }
    default:
      return document.createTextNode(node.type === "text" ? node.value : "");
  }
}

function withChildren(tag: string, children: readonly MarkdownNode[]): HTMLElement {
  const element = document.createElement(tag);
  element.append(...children.map(inlineNode));
  return element;
}
