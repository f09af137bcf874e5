//! Texts within XML, by which the library is configured.

use std::fmt::{Display, Write};

/// A text as the content of an element.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            other => out.push(other),
        }
    }
    out
}

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
        let pair = element("name", name) + &element("value", escape(value));
        let _ = write!(values, "{}", element("element", pair));
    }
    if values.is_empty() { values } else { element("property", element("value", values)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_users_write_stays_text() {
        assert_eq!(escape("a<b>&'\""), "a&lt;b&gt;&amp;&apos;&quot;");
        assert_eq!(properties(&[]), "");
    }

    #[test]
    fn a_duration_is_seconds_and_the_rest() {
        let expected = "<d><sec>2</sec><nanosec>500000000</nanosec></d>";
        assert_eq!(duration("d", 2_500_000_000), expected);
    }
}
