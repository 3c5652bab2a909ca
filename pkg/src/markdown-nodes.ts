/**
 * The nodes of Markdown, with the names and members of mdast. HTML is text.
 *
 * @module
 */

interface Members {
  /** In a tight list (`spread: false`) it shows without space around it. */
  paragraph: { readonly children: readonly MarkdownInline[] };
  heading: { readonly depth: 1 | 2 | 3 | 4 | 5 | 6; readonly children: readonly MarkdownInline[] };
  blockquote: { readonly children: readonly MarkdownBlock[] };
  list: {
    readonly ordered: boolean;
    /** The number of the first item of an ordered list. */
    readonly start: number | null;
    /** Whether there is space between the items. */
    readonly spread: boolean;
    readonly children: readonly MarkdownNodeOf<"listItem">[];
  };
  listItem: {
    /** The check mark of a task, `null` for other items. */
    readonly checked: boolean | null;
    readonly children: readonly MarkdownBlock[];
  };
  code: {
    /** The first word after the fence. */
    readonly lang: string | null;
    /** What comes after it. */
    readonly meta: string | null;
    readonly value: string;
  };
  table: {
    /** One for each column. */
    readonly align: readonly ("left" | "center" | "right" | null)[];
    /** The first row is the header. */
    readonly children: readonly MarkdownNodeOf<"tableRow">[];
  };
  /** May have fewer cells than the table has columns. */
  tableRow: { readonly children: readonly MarkdownNodeOf<"tableCell">[] };
  tableCell: { readonly children: readonly MarkdownInline[] };
  thematicBreak: object;
  text: { readonly value: string };
  emphasis: { readonly children: readonly MarkdownInline[] };
  strong: { readonly children: readonly MarkdownInline[] };
  delete: { readonly children: readonly MarkdownInline[] };
  inlineCode: { readonly value: string };
  break: object;
  link: {
    readonly url: string;
    readonly title: string | null;
    readonly children: readonly MarkdownInline[];
  };
  image: { readonly url: string; readonly title: string | null; readonly alt: string };
}

/** The nodes of one type, e.g. `MarkdownNodeOf<"code">`. */
export type MarkdownNodeOf<TYPE extends keyof Members> = {
  [T in TYPE]: { readonly type: T } & Members[T];
}[TYPE];

/** Any node. */
export type MarkdownNode = MarkdownNodeOf<keyof Members>;

/** A block: what a text is made of, and what quotes and list items hold. */
export type MarkdownBlock = MarkdownNodeOf<
  "paragraph" | "heading" | "blockquote" | "list" | "code" | "table" | "thematicBreak"
>;

/** What a paragraph, a heading or a cell holds. */
export type MarkdownInline = MarkdownNodeOf<
  "text" | "emphasis" | "strong" | "delete" | "inlineCode" | "break" | "link" | "image"
>;
