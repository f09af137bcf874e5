//! C38 as the network sees it: what is encrypted cannot be read there, and what is not can.

use busmark_adapter::Carrier;

use super::network::own_network;
use super::processes::between_processes;
use super::security::{across, profiles, trusted};
use crate::documents::{Authority, Body, body, hides_topics};
use crate::kit::{BODY, Context, Stop, Verdict, ensure, skip};
use crate::raw::Wire;

/// What a look at the wire has found.
struct Seen {
    body: bool,
    topic: bool,
}

impl Seen {
    /// Samples and discovery between two processes.
    fn of(context: &Context, profile: &str) -> Verdict<Self> {
        let authority = Authority::new(context, profile)?;
        let [reader, writer] = ["reader", "writer"].map(|name| trusted(context, &authority, name));
        let topic = context.topic();
        let wire = Wire::tap()?;
        let heard = across(context, &reader?, &writer?, &topic)?;
        ensure!(heard > 0, "no sample arrived");
        let packets = wire.packets()?;
        let sent = crate::kit::body(context.payload(), BODY);
        let holds = |part: &[u8]| {
            packets.iter().any(|packet| packet.windows(part.len()).any(|bytes| bytes == part))
        };
        Ok(Self { body: holds(&sent), topic: holds(topic.as_bytes()) })
    }
}

pub(crate) fn c38_bodies_can_be_read_on_the_wire_only_where_not_encrypted(
    context: &Context,
) -> Verdict {
    let profiles = profiles(context)?;
    between_processes(context)?;
    let transport = context.bare_participant_config(0).transport;
    if context.caps.carriers.get(&transport) == Some(&Carrier::SharedMemory) {
        return skip(format!("the transport {transport} sends no packets"));
    }
    own_network(context)?;
    if let Err(error) = Wire::tap() {
        return skip(format!("cannot see packets: {error}"));
    }
    let (mut readable, mut encrypted) = (Vec::new(), Vec::new());
    for profile in profiles {
        let seen = Seen::of(context, profile).map_err(|stop| match stop {
            Stop::Failed(text) => Stop::Failed(format!("{profile}: {text}")),
            skipped @ Stop::Skipped(_) => skipped,
        })?;
        match body(profile) {
            Body::Encrypted => {
                ensure!(!seen.body, "{profile}: a body can be read on the wire");
                encrypted.push(profile.as_str());
            }
            Body::Readable => {
                ensure!(
                    seen.body,
                    "{profile}: no body can be read on the wire, though nothing encrypts it: either \
                     more is done than was asked for, or the packets were not seen"
                );
                readable.push(profile.as_str());
            }
        }
        ensure!(
            !(hides_topics(profile) && seen.topic),
            "{profile}: the name of the topic can be read on the wire"
        );
    }
    Ok(format!("readable: {}; encrypted: {}", readable.join(", "), encrypted.join(", ")))
}
