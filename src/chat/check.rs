//! Values that the app has schemas for. Nothing of a chunk is applied before its schema accepts it,
//! and what comes behind waits (AI SDK `dataPartSchemas`, `messageMetadataSchema`).

use crate::error::{Error, ErrorKind};
use crate::protocol::ui_stream::{Chunk, ChunkKind, Decoded, Key, merge_metadata};

use super::Chat;
use super::apply::target;
use super::output::{Output, RequestId, ValueCheck};

impl Chat {
    /// Whether the chunk waits for the app's schema; it is asked then.
    pub(super) fn waits_for_check(&mut self, chunk: &Chunk<'_>, data: &str) -> bool {
        let Some(check) = self.check_of(chunk) else { return false };
        self.input.checked = Some(data.into());
        self.outputs.push_back(Output::Check(check));
        true
    }

    fn check_of(&mut self, chunk: &Chunk<'_>) -> Option<ValueCheck> {
        let response = self.active.as_mut()?;
        if chunk.kind() == ChunkKind::Data {
            return self.config.check_data.then(|| ValueCheck {
                request: response.request,
                data_type: Some(chunk.type_name().to_utf8_lossy()),
                value: chunk.raw(Key::Data).unwrap_or("null").to_owned(),
            });
        }
        let update = chunk.raw_non_null(Key::MessageMetadata)?;
        if !self.config.check_metadata {
            return None;
        }
        let target = target(&mut self.messages, &mut response.hidden, response.key, None);
        Some(ValueCheck {
            request: response.request,
            data_type: None,
            value: match target.as_ref().and_then(|target| target.message.metadata()) {
                Some(old) => merge_metadata(old.as_str(), update).ok()?,
                None => update.to_owned(),
            },
        })
    }

    /// The app's schema accepts the value of an [`Output::Check`], or does not: then the response
    /// ends with the error [`ErrorKind::InvalidValue`].
    pub fn handle_check(&mut self, now: f64, request: RequestId, is_accepted: bool) {
        self.now = now;
        if self.response(request).is_none() {
            return;
        }
        let Some(data) = self.input.checked.take() else { return };
        if !is_accepted {
            let message = "A value does not match the app's schema for it.";
            return self.fail_response(Error::new(ErrorKind::InvalidValue, message));
        }
        if let Ok(Decoded::Chunk(chunk)) = Chunk::decode(&data) {
            self.fold_chunk(&chunk, &data);
        }
        self.publish_if_changed();
    }
}
