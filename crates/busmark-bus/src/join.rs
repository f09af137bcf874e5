//! Before a member joins: nobody else may have its number, or be about to take it.

use std::sync::mpsc::sync_channel;
use std::time::{Duration, Instant};

use busmark_adapter::ParticipantHandle;
use busmark_worker::protocol::{Failure, PROTOCOL};
use serde_json::Value;

use crate::message::{self, Address, Order, Task, report};
use crate::topics::{Ear, Speaker};
use crate::{NEWS, ORDERS, own_number};

/// Whoever has the number has so long to say so.
const PATIENCE: Duration = Duration::from_millis(1500);
/// The question comes again after this.
const AGAIN: Duration = Duration::from_millis(300);
const QUEUE: usize = 1024;

/// Asks for a member of this number.
pub fn nobody_has(app: u32, participant: &ParticipantHandle) -> Result<(), Failure> {
    let caller = own_number();
    let (to, heard) = sync_channel(QUEUE);
    let ear = |topic| {
        let to = to.clone();
        Ear::new(participant, topic, move |message| {
            let _ = to.try_send(message);
        })
    };
    let _ears = [ear(NEWS)?, ear(ORDERS)?];
    let mut speaker = Speaker::new(participant, ORDERS, 0)?;
    let question = Order {
        busmark: PROTOCOL,
        caller,
        id: 1,
        to: Address::App(app),
        instance: None,
        task: Task::List { joining: true },
    };
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        speaker.say(&question)?;
        let again = (Instant::now() + AGAIN).min(end);
        while let Ok(message) = heard.recv_timeout(again.saturating_duration_since(Instant::now()))
        {
            if !message.ours {
                continue;
            }
            if let Ok(other) = message::order(&message.body) {
                if gives_way(&question, &other) {
                    let text = format!(
                        "another participant is joining this bus as application {app}; choose another \
                         --app"
                    );
                    return Err(Failure::new("invalid", text));
                }
            } else if let Ok(there) = report(&message.body)
                && there["caller"] == caller
            {
                return Err(taken(app, &there["result"]));
            }
        }
    }
    Ok(())
}

/// Two want the same number at once: the one with the lower number of its own gets it.
fn gives_way(own: &Order, other: &Order) -> bool {
    other.task == own.task && other.to == own.to && other.caller < own.caller
}

fn taken(app: u32, there: &Value) -> Failure {
    let host = there["host"].as_str().unwrap_or("?");
    let text = format!(
        "application {app} is on this bus already: process {} on {host}; choose another --app",
        there["pid"]
    );
    Failure::new("invalid", text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(caller: u64, app: u32, joining: bool) -> Order {
        let (to, task) = (Address::App(app), Task::List { joining });
        Order { busmark: PROTOCOL, caller, id: 1, to, instance: None, task }
    }

    #[test]
    fn of_two_that_join_under_one_number_one_gives_way_and_to_nobody_else() {
        let own = question(7, 3, true);
        for other in [5, 9].map(|caller| question(caller, 3, true)) {
            assert_ne!(gives_way(&own, &other), gives_way(&other, &own));
        }
        // Its own question, one to another application, and somebody who only lists who is there.
        for other in [own.clone(), question(5, 4, true), question(5, 3, false)] {
            assert!(!gives_way(&own, &other), "{other:?}");
        }
    }
}
