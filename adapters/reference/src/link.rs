//! A writer's connection to one reader, or of one end of a service to the other, whatever the transport.

use std::sync::Arc;
use std::time::Instant;

use busmark_adapter::{Result, Status};

use crate::locator::Locator;
use crate::memory::{Card, MemoryLink};
use crate::pipe::PipeLink;
use crate::queue::Message;

type Hot<T> = std::result::Result<T, Status>;

/// The connections of one writer at one moment.
pub type Links = Arc<Vec<Arc<Link>>>;

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
    /// Connects to the queue with this locator.
    pub fn connect(
        locator: &Locator,
        run_dir: &str,
        card: &Arc<Card>,
        reliable: bool,
    ) -> Result<Self> {
        let carrier = match locator.transport.as_str() {
            "pipe" => Carrier::Pipe(PipeLink::connect(locator, run_dir, card, reliable)?),
            _ => Carrier::Memory(MemoryLink::connect(&locator.at, card)?),
        };
        Ok(Self { carrier, reliable })
    }

    /// Introduces a client to the server at the other end, which connects to this locator for its
    /// responses; who asks by this link, where the link cannot know it from the stream.
    pub fn greet(&self, client: &Locator) -> Result<Option<Arc<Client>>> {
        match &self.carrier {
            Carrier::Memory(link) => link.greet(client).map(Some),
            Carrier::Pipe(link) => {
                link.greet(&client.to_string());
                Ok(None)
            }
        }
    }

    /// Promises a place for one sample of a reliable link, until then.
    pub fn reserve(&self, until: Option<Instant>) -> Hot<()> {
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

/// A client as its server knows it.
pub struct Client {
    /// The one to the client's queue of responses.
    links: Links,
}

impl Client {
    /// Connects to the client's queue.
    pub fn connect(locator: &Locator, run_dir: &str, reliable: bool) -> Result<Arc<Self>> {
        let reliable = reliable && locator.reliable;
        let link = Link::connect(locator, run_dir, &Arc::default(), reliable)?;
        Ok(Arc::new(Self { links: Arc::new(vec![Arc::new(link)]) }))
    }

    pub fn links(&self) -> &Links {
        &self.links
    }

    pub fn is_open(&self) -> bool {
        self.links.iter().all(|link| link.is_open())
    }
}

/// A sample or response that has been accepted, for the readers of that moment.
pub struct Parcel {
    pub message: Message,
    pub links: Links,
    /// Sent a second time.
    pub duplicate: bool,
}

impl Parcel {
    /// Sends it; consumes the places that were promised.
    pub fn deliver(&self) {
        for link in self.links.iter() {
            link.send(&self.message, Place::Reserved);
            if self.duplicate {
                link.send(&self.message, Place::None);
            }
        }
    }

    pub fn discard(&self) {
        self.links.iter().for_each(|link| link.release());
    }
}
