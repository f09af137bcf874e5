//! The router at which sessions meet (C29): a session of zenoh's in the mode of a router, which is what
//! `rmw_zenohd` is, too.

use busmark_adapter::{ParticipantConfig, Result, Server, Status};
use zenoh::Wait;

use crate::participant::{failed, listening, opened};

/// What ROS's configuration of a router changes of zenoh's, but for the place where it listens.
const SHIPPED: [(&str, &str); 6] = [
    ("scouting/multicast/enabled", "false"),
    ("queries_default_timeout", "60000"),
    ("transport/unicast/open_timeout", "60000"),
    ("transport/unicast/accept_timeout", "60000"),
    ("transport/unicast/accept_pending", "10000"),
    ("transport/unicast/max_sessions", "10000"),
];

/// Starts one on a free port of the interface.
pub fn start(config: &ParticipantConfig) -> Result<Server> {
    let mut values = vec![
        ("mode".to_owned(), "\"router\"".to_owned()),
        ("listen/endpoints".to_owned(), listening(config)?),
    ];
    values.extend(SHIPPED.map(|(key, value)| (key.to_owned(), value.to_owned())));
    let session = opened(zenoh::Config::default(), &values)?;
    let locators = session.info().locators().wait();
    let address = locators
        .first()
        .map(ToString::to_string)
        .ok_or_else(|| Status::Failed.error("the router does not listen"))?;
    Ok(Server { address, guard: Box::new(Router(session)) })
}

struct Router(zenoh::Session);

impl Drop for Router {
    fn drop(&mut self) {
        if let Err(error) = self.0.close().wait() {
            eprintln!("{}", failed("router", error).message);
        }
    }
}
