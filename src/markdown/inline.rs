//! The content of a leaf, which pulldown-cmark parses, as JSON nodes.

use std::collections::BTreeMap;

use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag};

use super::blocks::Label;
use super::json::{begin_node, push_string, push_text_node};
use super::reference::normalize;
use super::{MAX_INLINE_DEPTH, UrlPolicy};

/// What each line is given: in a paragraph that has begun, no line indented by this starts a block.
const GUARD: &str = "\n    ";

/// What a leaf's content refers to, and what it does in vain.
pub(super) struct References<'a> {
    pub(super) urls: &'a UrlPolicy,
    pub(super) labels: &'a BTreeMap<String, Label>,
    /// Those that are not defined, in normal form, each time one is used.
    pub(super) missing: Vec<String>,
}

/// Appends the nodes that `text` makes, separated by commas, and gives their number. Lines are without
/// what indents them.
pub(super) fn push_nodes(json: &mut String, text: &str, references: &mut References<'_>) -> usize {
    let guarded = format!("x{GUARD}{}", text.replace('\n', GUARD));
    let References { urls, labels, missing } = references;
    let mut resolve = |link: BrokenLink<'_>| {
        let label = normalize(&link.reference);
        if let Some(Label::Defined { url, title }) = labels.get(&label) {
            return Some((url.clone().into(), title.clone().into()));
        }
        missing.push(label);
        None
    };
    let parser = parser(&guarded, &mut resolve);
    let mut writer =
        Writer { json, urls, text: String::new(), frames: Vec::new(), image: None, nodes: 0 };
    // The start of the paragraph, the "x" and its line ending.
    for (event, range) in parser.into_offset_iter().skip(3) {
        writer.write(event, guarded.get(range).unwrap_or_default());
    }
    writer.flush();
    writer.nodes
}

/// What looks up a link's label.
type Resolve<'a> = dyn FnMut(BrokenLink<'a>) -> Option<(CowStr<'a>, CowStr<'a>)> + 'a;

/// The one kind of parser that there is: another one would be its code again.
fn parser<'a>(text: &'a str, resolve: &'a mut Resolve<'a>) -> Parser<'a, &'a mut Resolve<'a>> {
    Parser::new_with_broken_link_callback(text, Options::ENABLE_STRIKETHROUGH, Some(resolve))
}

/// What the line of an opening fence says after the fence.
pub(super) fn info_string(line: &str) -> String {
    match parser(line, &mut |_| None).next() {
        Some(Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info)))) => info.into_string(),
        _ => String::new(),
    }
}

/// The URL and title of a link reference definition, without their escapes.
pub(super) fn definition(text: &str) -> Option<(String, String)> {
    let mut resolve = |_: BrokenLink<'_>| None;
    let parser = parser(text, &mut resolve);
    let (_, found) = parser.reference_definitions().iter().next()?;
    let title = found.title.as_deref().unwrap_or_default().to_owned();
    Some((found.dest.to_string(), title))
}

struct Writer<'a> {
    json: &'a mut String,
    urls: &'a UrlPolicy,
    /// Text that is not yet a node: pulldown-cmark gives it in pieces.
    text: String,
    /// The open tags: whether each has a node.
    frames: Vec<bool>,
    image: Option<Image>,
    /// How many nodes there are that are in no other.
    nodes: usize,
}

/// An image whose description is being read.
struct Image {
    /// None where it is not allowed: only the description is shown.
    url: Option<String>,
    title: String,
    alt: String,
    /// How many tags were open before it.
    depth: usize,
}

impl Writer<'_> {
    fn write(&mut self, event: Event<'_>, source: &str) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Code(_) if source.contains('\n') => self.code(&code_of(source)),
            Event::Code(code) => self.code(&code),
            Event::InlineHtml(_) | Event::Html(_) => self.text(&unguarded(source)),
            Event::Text(text) => self.text(&text),
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak if self.image.is_some() => self.text("\n"),
            Event::HardBreak => {
                self.begin("break");
                self.json.push('}');
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        if self.image.is_some() || self.frames.len() >= MAX_INLINE_DEPTH {
            return self.frames.push(false);
        }
        match tag {
            Tag::Emphasis => self.start_node("emphasis"),
            Tag::Strong => self.start_node("strong"),
            Tag::Strikethrough => self.start_node("delete"),
            Tag::Link { link_type, dest_url, title, .. } => {
                self.start_link(link_type, &dest_url, &title);
            }
            Tag::Image { dest_url, title, .. } => {
                let url = self.urls.allows_image(&dest_url).then(|| dest_url.into_string());
                let depth = self.frames.len();
                self.image =
                    Some(Image { url, title: unguarded(&title), alt: String::new(), depth });
                self.frames.push(false);
            }
            _ => self.frames.push(false),
        }
    }

    fn start_node(&mut self, name: &str) {
        self.begin(name);
        self.json.push_str(",\"children\":[");
        self.frames.push(true);
    }

    /// Of a link whose URL is not allowed only the content is shown.
    fn start_link(&mut self, link_type: LinkType, url: &str, title: &str) {
        let url = match link_type {
            LinkType::Email => format!("mailto:{url}"),
            _ => url.to_owned(),
        };
        let allowed = self.urls.allows_link(&url);
        self.frames.push(allowed);
        if allowed {
            self.begin("link");
            self.url_and_title(&url, &unguarded(title));
            self.json.push_str(",\"children\":[");
        }
    }

    fn end(&mut self) {
        if self.frames.last() == Some(&true) {
            self.flush();
            self.json.push_str("]}");
        }
        self.frames.pop();
        let depth = self.frames.len();
        let Some(image) = self.image.take_if(|image| image.depth == depth) else { return };
        let Some(url) = image.url else { return self.text(&image.alt) };
        self.begin("image");
        self.url_and_title(&url, &image.title);
        self.json.push_str(",\"alt\":");
        push_string(self.json, &image.alt);
        self.json.push('}');
    }

    fn text(&mut self, text: &str) {
        match &mut self.image {
            Some(image) => image.alt.push_str(text),
            None => self.text.push_str(text),
        }
    }

    fn code(&mut self, code: &str) {
        if self.image.is_some() {
            return self.text(code);
        }
        self.begin("inlineCode");
        self.json.push_str(",\"value\":");
        push_string(self.json, code);
        self.json.push('}');
    }

    fn begin(&mut self, name: &str) {
        self.flush();
        self.count();
        begin_node(self.json, name);
    }

    fn url_and_title(&mut self, url: &str, title: &str) {
        self.json.push_str(",\"url\":");
        push_string(self.json, url);
        self.json.push_str(",\"title\":");
        if title.is_empty() {
            self.json.push_str("null");
        } else {
            push_string(self.json, title);
        }
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.count();
            push_text_node(self.json, &self.text);
            self.text.clear();
        }
    }

    fn count(&mut self) {
        self.nodes += usize::from(!self.frames.contains(&true));
    }
}

/// What a code span that goes over lines shows: pulldown-cmark leaves the indentation in it.
fn code_of(source: &str) -> String {
    let code = source.trim_start_matches('`');
    let fence = source.len() - code.len();
    let code = code.get(..code.len().saturating_sub(fence)).unwrap_or_default();
    let code = code.replace(GUARD, " ");
    let inner = code.strip_prefix(' ').and_then(|code| code.strip_suffix(' '));
    match inner {
        Some(inner) if code.bytes().any(|byte| byte != b' ') => inner.to_owned(),
        _ => code,
    }
}

fn unguarded(text: &str) -> String {
    text.replace(GUARD, "\n")
}
