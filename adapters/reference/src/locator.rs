//! What a reader tells writers about itself, as one line of text (C25).

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use busmark_adapter::{EndpointConfig, Error, ParticipantConfig, Status};

use crate::endpoint::Quality;

/// A reader's locator:
/// `transport=pipe;at=/run/…;domain=0;topic=…;payload=1;reliable=1;durable=0;service=0;partition=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locator {
    pub transport: String,
    /// Number of the reader in this process, or path of its pipe.
    pub at: String,
    pub domain: u32,
    pub topic: String,
    pub payload: u32,
    pub reliable: bool,
    pub durable: bool,
    /// It is an end of a service, not a reader.
    pub service: bool,
    pub partition: String,
}

impl Locator {
    /// The locator of a reader of this configuration, at this place.
    pub fn of(
        participant: &ParticipantConfig,
        config: &EndpointConfig,
        quality: &Quality,
        at: String,
    ) -> Self {
        Self {
            transport: participant.transport.clone(),
            at,
            domain: participant.domain,
            topic: config.topic.clone(),
            payload: config.payload as u32,
            reliable: quality.reliable,
            durable: quality.durable,
            service: false,
            partition: quality.partition.clone(),
        }
    }

    /// Refuses the locator of another transport, domain, topic, payload or kind of endpoint than this one.
    pub fn check(&self, own: &Self) -> Result<(), Error> {
        let of = |l: &Self| (l.transport.clone(), l.domain, l.topic.clone(), l.payload, l.service);
        if of(self) == of(own) {
            return Ok(());
        }
        Err(Status::Invalid.error(format!(
            "the locator is of (transport, domain, topic, payload, service) {:?}, this end of {:?}",
            of(self),
            of(own)
        )))
    }
}

/// Free texts without the separators.
fn escape(text: &str) -> String {
    text.replace('%', "%p").replace(';', "%s").replace('=', "%e")
}

fn unescape(text: &str) -> String {
    text.replace("%e", "=").replace("%s", ";").replace("%p", "%")
}

impl fmt::Display for Locator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "transport={};at={};domain={};topic={};payload={};reliable={};durable={};\
             service={};partition={}",
            self.transport,
            escape(&self.at),
            self.domain,
            escape(&self.topic),
            self.payload,
            u8::from(self.reliable),
            u8::from(self.durable),
            u8::from(self.service),
            escape(&self.partition)
        )
    }
}

impl FromStr for Locator {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Status::Invalid.error(format!("{text:?} is not a locator of this adapter"));
        let fields: HashMap<&str, &str> =
            text.split(';').filter_map(|field| field.split_once('=')).collect();
        let field = |key| fields.get(key).map(|v| unescape(v)).ok_or_else(bad);
        let number = |key| field(key)?.parse::<u32>().map_err(|_| bad());
        Ok(Self {
            transport: field("transport")?,
            at: field("at")?,
            domain: number("domain")?,
            topic: field("topic")?,
            payload: number("payload")?,
            reliable: number("reliable")? != 0,
            durable: number("durable")? != 0,
            service: number("service")? != 0,
            partition: field("partition")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locator_survives_its_text_whatever_the_names_hold() {
        let locator = Locator {
            transport: "pipe".to_owned(),
            at: "/tmp/a;b=c%d".to_owned(),
            domain: 7,
            topic: "%s;=".to_owned(),
            payload: 6,
            reliable: true,
            durable: false,
            service: true,
            partition: String::new(),
        };
        assert_eq!(locator.to_string().parse(), Ok(locator));
    }

    #[test]
    fn other_text_is_refused() {
        for text in ["", "nonsense", "transport=pipe", "transport=pipe;at=x;domain=many"] {
            assert!(text.parse::<Locator>().is_err(), "{text:?}");
        }
    }
}
