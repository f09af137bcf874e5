//! What a client has its agent create, as the XML of DDS-XML.

use std::fmt::Write as _;

use busmark_adapter::Qos;

/// A `DomainParticipant`.
pub fn participant(domain: u16) -> String {
    format!("<dds><participant><domain_id>{domain}</domain_id></participant></dds>")
}

/// A topic of a type by its name alone: the agent passes its samples on as they come.
pub fn topic(name: &str, type_name: &str) -> String {
    let (name, type_name) = (escaped(name), escaped(type_name));
    format!("<dds><topic name=\"{name}\" type_name=\"{type_name}\"/></dds>")
}

/// A `DataWriter` (`kind` "writer") or a `DataReader` ("reader") of a topic.
pub fn endpoint(kind: &str, topic: u16, qos: &Qos) -> String {
    let mut policies = String::new();
    if let Some(reliable) = qos.reliable {
        let word = if reliable { "RELIABLE" } else { "BEST_EFFORT" };
        let _ = write!(policies, "<reliability><kind>{word}_RELIABILITY_QOS</kind></reliability>");
    }
    if qos.transient_local == Some(false) {
        policies.push_str("<durability><kind>VOLATILE_DURABILITY_QOS</kind></durability>");
    }
    match qos.keep_all {
        Some(true) => {
            policies.push_str("<history><kind>KEEP_ALL_HISTORY_QOS</kind></history>");
        }
        Some(false) => {
            let depth = qos.depth.max(1);
            let _ = write!(
                policies,
                "<history><kind>KEEP_LAST_HISTORY_QOS</kind><depth>{depth}</depth></history>"
            );
        }
        None => {}
    }
    format!(
        "<dds><data_{kind} topic_ref=\"0x{topic:04x}\"><data_{kind}_qos>{policies}</data_{kind}_qos>\
         </data_{kind}></dds>"
    )
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let xml = topic("a<b>&\"c\"", "busmark::OctetSample");
        assert!(xml.contains("name=\"a&lt;b&gt;&amp;&quot;c&quot;\""), "{xml}");
    }

    #[test]
    fn what_is_not_asked_for_is_not_named() {
        let xml = endpoint("reader", 0x12, &Qos::default());
        assert!(
            xml.contains("0x0012") && xml.contains("<data_reader_qos></data_reader_qos>"),
            "{xml}"
        );
    }
}
