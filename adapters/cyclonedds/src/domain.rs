//! Domains of this process. The library has one configuration per domain and process, so participants
//! of the same domain share it.

use std::collections::HashMap;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Mutex, PoisonError};

use busmark_adapter::{Result, Status};
use cyclonedds_rust_sys::dds_create_domain;

use crate::config::{Network, Settings};
use crate::entity::Entity;
use crate::log;

struct Shared {
    settings: Settings,
    users: usize,
    _entity: Entity,
}

static DOMAINS: Mutex<Option<HashMap<u32, Shared>>> = Mutex::new(None);

/// The use of a domain; the last one that is dropped stops the domain's threads.
pub struct Domain(u32);

impl Domain {
    /// Joins the domain, and starts it if it is the first of this process.
    pub fn join(settings: Settings) -> Result<Self> {
        log::install();
        let mut domains = DOMAINS.lock().unwrap_or_else(PoisonError::into_inner);
        let domains = domains.get_or_insert_default();
        let id = settings.domain;
        if let Some(shared) = domains.get_mut(&id) {
            if shared.settings != settings {
                let text = format!(
                    "domain {id} runs in this process with another configuration; the \
                     participants of one domain and process share one"
                );
                return Err(Status::Invalid.error(text));
            }
            shared.users += 1;
        } else {
            let entity = start(&settings)?;
            domains.insert(id, Shared { settings, users: 1, _entity: entity });
        }
        Ok(Self(id))
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.0
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        let mut domains = DOMAINS.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(domains) = domains.as_mut() else { return };
        let Some(shared) = domains.get_mut(&self.0) else { return };
        shared.users -= 1;
        if shared.users == 0 {
            // Deleted under the lock: a domain of the same number cannot start before it has ended.
            domains.remove(&self.0);
        }
    }
}

fn start(settings: &Settings) -> Result<Entity> {
    if settings.network != Network::Tcp {
        return create(settings.domain, &settings.xml(0));
    }
    let mut last = Status::Resources.error(format!(
        "all TCP ports of domain {} are taken: raise the option max_processes, or use another domain",
        settings.domain
    ));
    // The library does not look for a free port itself. Another process may take the port between
    // this look and the library's own, hence the next try.
    for port in settings.tcp_ports() {
        if TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).is_ok() {
            match create(settings.domain, &settings.xml(port)) {
                Ok(entity) => return Ok(entity),
                Err(error) => last = error,
            }
        }
    }
    Err(last)
}

fn create(id: u32, xml: &str) -> Result<Entity> {
    let text = std::ffi::CString::new(xml)
        .map_err(|_| Status::Invalid.error("a zero byte in the configuration"))?;
    log::take_last();
    // SAFETY: the text lives during the call.
    let handle = unsafe { dds_create_domain(id, text.as_ptr()) };
    Entity::new(handle, &format!("domain {id}")).map_err(log::with_last)
}
