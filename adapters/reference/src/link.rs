//! A writer's connection to one reader, whatever the transport.

use std::time::Instant;

use busmark_adapter::Status;

use crate::memory::MemoryLink;
use crate::pipe::PipeLink;
use crate::queue::Message;

pub enum Carrier {
    Memory(MemoryLink),
    Pipe(PipeLink),
}

pub struct Link {
    pub carrier: Carrier,
    /// Writer and reader are both reliable.
    pub reliable: bool,
}

/// What a link is asked to do with a sample.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It has been promised.
    Reserved,
    /// None was promised: best effort, a duplicate, or history.
    None,
}

impl Link {
    /// Promises a place for one sample of a reliable link, until then.
    pub fn reserve(&self, until: Option<Instant>) -> Result<(), Status> {
        match &self.carrier {
            _ if !self.reliable => Ok(()),
            Carrier::Memory(link) => link.queue().reserve(until),
            Carrier::Pipe(link) => link.wait_for_room(until),
        }
    }

    /// Gives the promise back.
    pub fn release(&self) {
        if let (true, Carrier::Memory(link)) = (self.reliable, &self.carrier) {
            link.queue().release();
        }
    }

    pub fn send(&self, message: &Message, place: Place) {
        match &self.carrier {
            Carrier::Memory(link) => {
                let queue = link.queue();
                let promised = self.reliable && place == Place::Reserved;
                match (link.is_joined(), promised) {
                    (true, true) => queue.push_reserved(message.clone()),
                    (true, false) => queue.offer(message.clone()),
                    (false, true) => queue.release(),
                    (false, false) => (),
                }
            }
            // A pipe takes a whole sample or, on best effort, none.
            Carrier::Pipe(link) if self.reliable => link.send(message),
            Carrier::Pipe(link) => link.send_if_free(message),
        }
    }

    /// The reader is there.
    pub fn is_open(&self) -> bool {
        match &self.carrier {
            Carrier::Memory(link) => link.is_open(),
            Carrier::Pipe(link) => link.is_open(),
        }
    }

    /// The writer has moved to this partition; within a process the reader sees that by itself.
    pub fn tell_partition(&self, partition: &str) {
        if let Carrier::Pipe(link) = &self.carrier {
            link.tell(partition);
        }
    }

    /// The reader is there, in the writer's partition.
    pub fn is_ready(&self) -> bool {
        let joined = match &self.carrier {
            Carrier::Memory(link) => link.is_joined(),
            Carrier::Pipe(link) => link.is_joined(),
        };
        joined && self.is_open()
    }
}
