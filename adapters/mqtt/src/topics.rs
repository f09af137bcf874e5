//! Names of topics: `busmark/DOMAIN/KIND/TOPIC`, where KIND is `data`, `keyed`, `readers` or `writers`, or of a
//! service `requests`, `servers` or `clients`. Responses have no name of the service's:
//! `busmark/DOMAIN/responses/CLIENT`.

use std::ffi::CString;

use busmark_adapter::{EndpointConfig, Result, Status};

/// The broker's limit; libmosquitto's too.
const LONGEST: usize = 65_535;
/// Room for what is put around a topic's name.
const AROUND: usize = 64;

/// The names that belong to one topic of one domain.
pub struct Names {
    domain: u32,
    topic: String,
}

impl Names {
    /// Names for the endpoint's topic; fails if MQTT cannot have it.
    pub fn new(domain: u32, topic: &str) -> Result<Self> {
        if topic.contains(['+', '#', '\0']) || topic.len() > LONGEST - AROUND {
            let text = format!("MQTT cannot have the topic {topic:?}: too long, or one of + # NUL");
            return Err(Status::Invalid.error(text));
        }
        Ok(Self { domain, topic: topic.to_owned() })
    }

    fn name(&self, kind: &str) -> String {
        format!("busmark/{}/{kind}/{}", self.domain, self.topic)
    }

    /// Where readers (or writers) say that they are there: a prefix, to be followed by their name.
    pub fn presence(&self, readers: bool) -> String {
        self.name(if readers { "readers" } else { "writers" }) + "/"
    }

    /// Where servers (or clients) of a service say that they are there, as above.
    pub fn ends(&self, servers: bool) -> String {
        self.name(if servers { "servers" } else { "clients" }) + "/"
    }

    /// Where the requests of a service go.
    pub fn requests(&self) -> CString {
        text(self.name("requests"))
    }

    /// Where the responses go that a client of this name asks for.
    pub fn responses(&self, client: &str) -> CString {
        text(format!("busmark/{}/responses/{client}", self.domain))
    }

    /// What a writer publishes on: one name, or one for each instance.
    pub fn publications(&self, config: &EndpointConfig) -> Vec<CString> {
        if config.instances == 0 {
            return vec![text(self.name("data"))];
        }
        (0..config.instances).map(|n| self.instance(&n.to_string())).collect()
    }

    /// What a reader subscribes to.
    pub fn subscriptions(&self, config: &EndpointConfig) -> Vec<CString> {
        match (config.instances, config.filter_below) {
            (0, _) => vec![text(self.name("data"))],
            (_, 0) => vec![self.instance("+")],
            (all, below) => (0..below.min(all)).map(|n| self.instance(&n.to_string())).collect(),
        }
    }

    fn instance(&self, level: &str) -> CString {
        text(format!("{}/{level}", self.name("keyed")))
    }
}

/// A C string of a text without zeros.
pub fn text(text: String) -> CString {
    CString::new(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use busmark_adapter::{Payload, Qos, Wait};

    use super::*;

    fn endpoint(instances: u32, filter_below: u32) -> EndpointConfig {
        EndpointConfig {
            topic: "a/b".into(),
            payload: Payload::Octet,
            wait: Wait::Poll,
            max_body_bytes: 0,
            qos: Qos::default(),
            instances,
            filter_below,
        }
    }

    fn texts(names: &[CString]) -> Vec<&str> {
        names.iter().map(|name| name.to_str().expect("UTF-8")).collect()
    }

    #[test]
    fn a_topic_without_keys_has_one_name() {
        let names = Names::new(7, "a/b").expect("names");
        assert_eq!(texts(&names.publications(&endpoint(0, 0))), ["busmark/7/data/a/b"]);
        assert_eq!(texts(&names.subscriptions(&endpoint(0, 0))), ["busmark/7/data/a/b"]);
    }

    #[test]
    fn each_instance_has_a_name_and_a_filter_is_a_list_of_them() {
        let names = Names::new(7, "t").expect("names");
        assert_eq!(
            texts(&names.publications(&endpoint(2, 0))),
            ["busmark/7/keyed/t/0", "busmark/7/keyed/t/1"]
        );
        assert_eq!(texts(&names.subscriptions(&endpoint(2, 0))), ["busmark/7/keyed/t/+"]);
        assert_eq!(texts(&names.subscriptions(&endpoint(2, 1))), ["busmark/7/keyed/t/0"]);
        assert_eq!(names.subscriptions(&endpoint(2, 9)).len(), 2);
    }

    #[test]
    fn names_with_a_meaning_of_their_own_are_refused() {
        for topic in ["a+b", "#", "a\0b", &"x".repeat(LONGEST)] {
            assert!(Names::new(0, topic).is_err(), "{topic:.10}");
        }
    }
}
