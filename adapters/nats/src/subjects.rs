//! Names of subjects: `busmark.DOMAIN.KIND.TOPIC`, where KIND is `data`, `keyed`, `presence`, or of a
//! service `requests` or `ends`.

use std::ffi::CString;

use busmark_adapter::{EndpointConfig, Result, Status};

/// The names that belong to one topic of one domain.
pub struct Names {
    domain: u32,
    topic: String,
}

impl Names {
    /// Subjects of the endpoint's topic; fails if NATS cannot have it.
    pub fn new(domain: u32, topic: &str) -> Result<Self> {
        let forbidden = |c: char| c.is_whitespace() || c.is_control() || c == '*' || c == '>';
        if topic.contains(forbidden) || topic.split('.').any(str::is_empty) {
            let text = format!(
                "NATS cannot have the topic {topic:?}: white space, * or >, or nothing beside a dot"
            );
            return Err(Status::Invalid.error(text));
        }
        Ok(Self { domain, topic: topic.to_owned() })
    }

    fn name(&self, kind: &str) -> String {
        format!("busmark.{}.{kind}.{}", self.domain, self.topic)
    }

    /// Where endpoints say that they are there.
    pub fn presence(&self) -> String {
        self.name("presence")
    }

    /// Where the requests of a service go.
    pub fn requests(&self) -> CString {
        text(self.name("requests"))
    }

    /// Where ends of a service say that they are there.
    pub fn ends(&self) -> String {
        self.name("ends")
    }

    /// What a writer publishes on: one name, or one for each instance.
    pub fn publications(&self, config: &EndpointConfig) -> Vec<CString> {
        match config.instances {
            0 => vec![text(self.name("data"))],
            all => (0..all).map(|n| text(format!("{}.{n}", self.name("keyed")))).collect(),
        }
    }

    /// What a reader subscribes to.
    pub fn subscription(&self, config: &EndpointConfig) -> CString {
        match config.instances {
            0 => text(self.name("data")),
            _ => text(format!("{}.*", self.name("keyed"))),
        }
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

    fn endpoint(instances: u32) -> EndpointConfig {
        EndpointConfig {
            topic: "a.b".into(),
            payload: Payload::Octet,
            wait: Wait::Poll,
            max_body_bytes: 0,
            qos: Qos::default(),
            instances,
            filter_below: 0,
        }
    }

    #[test]
    fn an_instance_is_a_token_more() {
        let names = Names::new(7, "a.b").expect("names");
        assert_eq!(names.publications(&endpoint(0)), [c"busmark.7.data.a.b".to_owned()]);
        assert_eq!(names.subscription(&endpoint(0)).as_c_str(), c"busmark.7.data.a.b");
        assert_eq!(names.publications(&endpoint(2))[1].as_c_str(), c"busmark.7.keyed.a.b.1");
        assert_eq!(names.subscription(&endpoint(2)).as_c_str(), c"busmark.7.keyed.a.b.*");
    }

    #[test]
    fn names_with_a_meaning_of_their_own_are_refused() {
        for topic in ["a b", "*", "a.>", ".a", "a..b", "a.", "a\nb", "a\0b"] {
            assert!(Names::new(0, topic).is_err(), "{topic:?}");
        }
    }
}
