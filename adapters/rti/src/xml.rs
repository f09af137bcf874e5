//! Texts within XML, by which the library is configured.

use std::fmt::{Display, Write};

use busmark_adapter::escape_xml;

/// An element with this content, which is XML already.
pub fn element(name: &str, content: impl Display) -> String {
    format!("<{name}>{content}</{name}>")
}

/// A `DDS_Duration_t`.
pub fn duration(name: &str, ns: i64) -> String {
    let (seconds, rest) = (ns.max(0) / 1_000_000_000, ns.max(0) % 1_000_000_000);
    let seconds = seconds.min(i64::from(i32::MAX) - 1);
    element(name, element("sec", seconds) + &element("nanosec", rest))
}

/// The `PropertyQosPolicy` with these names and values.
pub fn properties(list: &[(String, String)]) -> String {
    let mut values = String::new();
    for (name, value) in list {
        let pair = element("name", name) + &element("value", escape_xml(value));
        let _ = write!(values, "{}", element("element", pair));
    }
    if values.is_empty() { values } else { element("property", element("value", values)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_there_if_there_are_any() {
        assert_eq!(properties(&[]), "");
        let text = properties(&[("a".to_owned(), "<".to_owned())]);
        assert!(text.contains("<name>a</name><value>&lt;</value>"), "{text}");
    }

    #[test]
    fn a_duration_is_seconds_and_the_rest() {
        let expected = "<d><sec>2</sec><nanosec>500000000</nanosec></d>";
        assert_eq!(duration("d", 2_500_000_000), expected);
    }
}
