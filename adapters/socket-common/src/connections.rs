//! The connections of an endpoint, as threads other than its own see them.

use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use busmark_adapter::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::net::{Shutdown, shutdown};

use crate::Family;
use crate::errors::os_error;
use crate::shield::{MaybeShield, Shield, Side};

/// One connection. Its descriptor is closed when the last user lets go.
pub(crate) struct Link {
    pub(crate) socket: OwnedFd,
    /// Both sides have greeted each other.
    pub(crate) greeted: AtomicBool,
    /// It was ended on this side, by the reader that shared it.
    pub(crate) ended: AtomicBool,
    /// What protects it; set once, before the greeting.
    shield: OnceLock<Arc<dyn Shield>>,
}

/// Those that are open. Not on the hot path.
#[derive(Default)]
pub(crate) struct Connections(Mutex<Vec<Arc<Link>>>);

impl Connections {
    fn with<T>(&self, body: impl FnOnce(&mut Vec<Arc<Link>>) -> T) -> T {
        body(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn add(&self, socket: OwnedFd, greeted: bool) -> Arc<Link> {
        let link = Arc::new(Link::new(socket, greeted));
        self.share(&link);
        link
    }

    /// Adds one that another endpoint of the participant has, too.
    pub(crate) fn share(&self, link: &Arc<Link>) {
        self.with(|links| links.push(Arc::clone(link)));
    }

    pub(crate) fn remove(&self, link: &Arc<Link>) {
        self.with(|links| links.retain(|l| !Arc::ptr_eq(l, link)));
    }

    /// Ends all of them; whoever receives from one is notified.
    pub(crate) fn shut_down(&self) {
        self.with(|links| {
            for link in links {
                link.end();
            }
        });
    }

    /// Those whose other side is there: greeted, and neither closed nor reset.
    pub(crate) fn alive(&self) -> u32 {
        self.with(|links| {
            let greeted = links.iter().filter(|link| link.greeted.load(Ordering::Acquire));
            greeted.filter(|link| link.is_alive()).count() as u32
        })
    }
}

impl Link {
    /// A new connection, protected where the family protects its own.
    pub(crate) fn dial(family: &dyn Family, locator: &str) -> Result<Arc<Self>> {
        let link = Self::new(family.connect(locator)?, true);
        let shield = family.shield(&link.socket, Side::Connects);
        let shield = shield.map_err(|e| e.status.error(format!("{locator}: {}", e.message)))?;
        link.protect(shield);
        Ok(Arc::new(link))
    }

    /// No send blocks for longer.
    pub(crate) fn limit_sends(&self, limit: Duration) -> Result<()> {
        set_socket_timeout(&self.socket, Timeout::Send, Some(limit))
            .map_err(|errno| os_error("time limit of writes", errno))
    }

    pub(crate) fn new(socket: OwnedFd, greeted: bool) -> Self {
        Self {
            socket,
            greeted: AtomicBool::new(greeted),
            ended: AtomicBool::new(false),
            shield: OnceLock::new(),
        }
    }

    /// From now on what is said is protected.
    pub(crate) fn protect(&self, shield: MaybeShield) {
        if let Some(shield) = shield {
            let _ = self.shield.set(shield);
        }
    }

    /// What protects it, to keep.
    pub(crate) fn protection(&self) -> MaybeShield {
        self.shield.get().cloned()
    }

    /// What protects it. Hot.
    #[inline]
    pub(crate) fn shield(&self) -> Option<&dyn Shield> {
        self.shield.get().map(|shield| &**shield)
    }

    /// Ends it, for both directions and every user.
    pub(crate) fn end(&self) {
        self.ended.store(true, Ordering::Release);
        // A connection that has already ended is what was wanted.
        let _ = shutdown(&self.socket, Shutdown::Both);
    }

    /// Whether the other side has neither closed nor reset the connection.
    pub(crate) fn is_alive(&self) -> bool {
        let mut state = [PollFd::new(&self.socket, PollFlags::RDHUP)];
        let ended = PollFlags::RDHUP | PollFlags::HUP | PollFlags::ERR;
        poll(&mut state, Some(&Timespec::default())).is_ok()
            && !state[0].revents().intersects(ended)
    }
}
