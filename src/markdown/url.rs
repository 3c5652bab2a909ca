//! Which URLs links and images may have.

/// The allowed schemes, in lower case and without a colon. URLs without a scheme (relative ones,
/// fragments) are always allowed. `data` means raster images only, and no link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlPolicy {
    /// Default: `http`, `https`, `mailto`.
    pub schemes: Vec<String>,
}

impl Default for UrlPolicy {
    fn default() -> Self {
        Self { schemes: ["http", "https", "mailto"].map(str::to_owned).to_vec() }
    }
}

/// SVG is not among them: it can hold scripts and load more.
const RASTER_TYPES: &[&str] = &["png", "jpeg", "jpg", "gif", "webp", "avif", "bmp"];

impl UrlPolicy {
    pub(super) fn allows_link(&self, url: &str) -> bool {
        self.allows(url, |_| false)
    }

    pub(super) fn allows_image(&self, url: &str) -> bool {
        self.allows(url, is_raster_image)
    }

    fn allows(&self, url: &str, allows_data: impl Fn(&str) -> bool) -> bool {
        scheme(url).is_none_or(|scheme| {
            self.schemes.contains(&scheme) && (scheme != "data" || allows_data(url))
        })
    }
}

/// The scheme as a browser reads it: control characters and spaces before it do not count, nor do
/// tabs and newlines in it.
fn scheme(url: &str) -> Option<String> {
    let mut scheme = String::new();
    for character in url.trim_start_matches(|c: char| c <= ' ').chars() {
        match character {
            '\t' | '\n' | '\r' => {}
            ':' if !scheme.is_empty() => return Some(scheme),
            'a'..='z' | 'A'..='Z' => scheme.push(character.to_ascii_lowercase()),
            '0'..='9' | '+' | '-' | '.' if !scheme.is_empty() => scheme.push(character),
            _ => return None,
        }
    }
    None
}

fn is_raster_image(url: &str) -> bool {
    let Some((_, rest)) = url.split_once(':') else { return false };
    let end = rest.find([';', ',']).unwrap_or(rest.len());
    let media = rest[..end].trim().to_ascii_lowercase();
    media.strip_prefix("image/").is_some_and(|kind| RASTER_TYPES.contains(&kind))
}
