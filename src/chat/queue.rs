//! Messages that wait until the chat is free.

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind};
use crate::json::Text;

use super::commands::NewMessage;
use super::output::CommandId;
use super::{Chat, RequestKind};

/// What happens to a message that is sent while a response is under way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhileBusy {
    /// It waits, visible, and is sent when the response has ended.
    Queue,
    /// The response is stopped and the message sent.
    Interrupt,
    /// The command fails with the code `busy`.
    Reject,
}

#[derive(Debug)]
struct Waiting {
    message: NewMessage,
    command: CommandId,
    options: u32,
}

/// Messages in the order in which they will be sent.
#[derive(Default, Debug)]
pub(super) struct Queue {
    waiting: VecDeque<Waiting>,
    paused: bool,
    changed: bool,
}

impl Queue {
    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    pub(super) fn pause(&mut self) {
        self.paused = true;
    }

    pub(super) fn resume(&mut self) {
        self.paused = false;
    }

    pub(super) fn is_changed(&self) -> bool {
        self.changed
    }

    /// The app's own objects in order, when the queue changed since the last call.
    pub(super) fn take_changed_slots(&mut self) -> Option<Vec<u32>> {
        std::mem::take(&mut self.changed)
            .then(|| self.waiting.iter().map(|waiting| waiting.message.slot).collect())
    }

    pub(super) fn push(&mut self, message: NewMessage, command: CommandId, options: u32) {
        self.waiting.push_back(Waiting { message, command, options });
        self.changed = true;
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    fn pop(&mut self) -> Option<Waiting> {
        let next = self.waiting.pop_front();
        self.changed |= next.is_some();
        next
    }

    fn remove(&mut self, id: &Text) -> Option<Waiting> {
        let index = self.waiting.iter().position(|waiting| waiting.message.id() == id)?;
        self.changed = true;
        self.waiting.remove(index)
    }
}

impl Chat {
    /// Sends the first waiting message, when nothing is under way and the queue is not paused.
    pub(super) fn send_next_queued(&mut self) {
        if self.is_busy() || self.queue.is_paused() || self.disposed {
            return;
        }
        if let Some(next) = self.queue.pop() {
            self.append_message(next.message);
            self.begin_user_request(
                RequestKind::Submit { message_id: None },
                next.options,
                vec![next.command],
            );
        }
    }

    /// Takes a waiting message out; its command settles.
    ///
    /// # Errors
    /// No waiting message has this id.
    pub fn remove_queued(&mut self, id: &Text) -> Result<(), Error> {
        let removed = self.queue.remove(id).ok_or_else(|| unknown_queued(id))?;
        self.settle(removed.command, None);
        self.publish();
        Ok(())
    }

    /// Stops what is under way and sends this waiting message now.
    ///
    /// # Errors
    /// No waiting message has this id.
    pub fn send_queued_now(&mut self, id: &Text) -> Result<(), Error> {
        let chosen = self.queue.remove(id).ok_or_else(|| unknown_queued(id))?;
        self.queue.waiting.push_front(chosen);
        self.interrupt();
        self.queue.resume();
        self.send_next_queued();
        Ok(())
    }

    /// Lets a paused queue go on.
    pub fn resume_queue(&mut self) {
        self.queue.resume();
        self.publish();
        self.send_next_queued();
    }

    /// Empties the queue; the commands settle.
    pub(super) fn clear_queue(&mut self) {
        while let Some(waiting) = self.queue.pop() {
            self.settle(waiting.command, None);
        }
    }
}

fn unknown_queued(id: &Text) -> Error {
    Error::new(
        ErrorKind::InvalidArgument,
        ["no queued message has the id ", &id.to_string_lossy()].concat(),
    )
}
