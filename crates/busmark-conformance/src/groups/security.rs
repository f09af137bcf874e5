//! C9, C38: security by documents. What the tests trust is made for each of them (`documents`).

use std::time::Duration;

use busmark_adapter::{EndpointConfig, Feature, ParticipantConfig, Reach, Security, Status};

use crate::documents::{Authority, Kind, PASSWORD, When, permits};
use crate::kit::{Context, Inbox, Link, Plan, Side, Stop, Verdict, ensure, fail, skip};
use crate::peer::{Errand, PeerProcess};
use crate::raw::{RawParticipant, RawTable};

/// Samples of each writer.
const COUNT: u64 = 20;
const PAUSE: Duration = Duration::from_millis(2);
/// A stranger may find others late.
const SLOW: Duration = Duration::from_millis(25);
/// Numbers of the writer that is trusted and of the one that is not.
const FRIEND: u32 = 1;
const STRANGER: u32 = 2;

pub(crate) fn c09_security_is_declared_with_its_profiles(context: &Context) -> Verdict {
    let profiles = &context.caps.security;
    let declared = context.has(Feature::Security);
    ensure!(
        declared || profiles.is_empty(),
        "has the security profiles {}, but does not declare SECURITY",
        profiles.join(", ")
    );
    ensure!(!declared || !profiles.is_empty(), "declares SECURITY, but no security profile");
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    for (at, name) in profiles.iter().enumerate() {
        ensure!(
            !name.is_empty() && name.chars().all(plain) && name != "none",
            "{name:?} is no name of a security profile"
        );
        ensure!(!profiles[..at].contains(name), "the security profile {name} is listed twice");
    }
    Ok(if declared { profiles.join(", ") } else { "not declared, and no profile".to_owned() })
}

pub(crate) fn c38_an_unknown_security_profile_is_refused(context: &Context) -> Verdict {
    if !context.knows_security() {
        return skip("the library's header had no security yet, and who loads it refuses profiles");
    }
    let table = RawTable::of(&context.library).map_err(Stop::Failed)?;
    // One that no adapter has, and one that others have.
    let names = ["no_such_profile", "authentication", "tls", ""];
    let unknown = names.iter().filter(|name| !context.caps.security.iter().any(|p| p == *name));
    let mut told = Vec::new();
    for name in unknown {
        let mut config = context.participant_config(0);
        let profile = (*name).to_owned();
        config.security = Some(Box::new(Security { profile, ..Security::default() }));
        match RawParticipant::new(&table, &config) {
            Ok(_) => return fail(format!("the security profile {name:?} was accepted")),
            Err(error) => {
                let allowed = [Status::Invalid as u32, Status::Unsupported as u32];
                ensure!(
                    allowed.contains(&error.status),
                    "the security profile {name:?} gave status {} ({})",
                    error.status,
                    error.message
                );
                told.push(format!("{name:?}"));
            }
        }
    }
    Ok(format!("refused: {}", told.join(", ")))
}

/// The declared profiles; skips the test where there is none.
pub(super) fn profiles(context: &Context) -> Verdict<&[String]> {
    context.need(Feature::Security)?;
    Ok(&context.caps.security)
}

/// Whether participants can be in processes of their own.
fn crosses(context: &Context) -> bool {
    let reach = &context.caps.reach;
    context.options.peer.is_some()
        && (reach.contains(&Reach::Host) || reach.contains(&Reach::Network))
}

/// A participant that the authority has given documents.
pub(super) fn trusted(
    context: &Context,
    authority: &Authority,
    name: &str,
) -> Verdict<ParticipantConfig> {
    let server = authority.server()?;
    Ok(context.secured_config(&server, &authority.identity(name)?))
}

/// An errand that begins when both sides can exchange samples.
fn errand(context: &Context, id: u32) -> Errand {
    let matched = id == FRIEND && context.has(Feature::Matched);
    Errand { count: COUNT, pause: if id == FRIEND { PAUSE } else { SLOW }, matched, id }
}

/// A writer here or in a second process.
enum Writing {
    Here(Box<Link>),
    There(Box<PeerProcess>),
}

impl Writing {
    /// Wired to the reader of `link`. In a process of its own where that can be: what stays within one
    /// may not pass the protection.
    fn start(
        context: &Context,
        link: &Reading,
        participant: &ParticipantConfig,
        id: u32,
    ) -> Verdict<Self> {
        let endpoint = link.endpoint.clone();
        let side = Side { participant: participant.clone(), endpoint, count: 1 };
        if crosses(context) {
            let mut writer = PeerProcess::start_with(context, &side, &errand(context, id))?;
            writer.connect(context, &link.reader)?;
            return Ok(Self::There(Box::new(writer)));
        }
        let participant = context.library.participant(&side.participant)?;
        let mut here = Link {
            writers: Vec::new(),
            readers: Vec::new(),
            writing: participant.clone(),
            reading: participant,
        };
        here.add_writer(context, &side.endpoint)?;
        here.writers[0].header.writer_id = id;
        crate::kit::connect(context, &here.writers[0], &link.reader)?;
        Ok(Self::Here(Box::new(here)))
    }

    fn write(&mut self) -> Verdict<()> {
        match self {
            Self::Here(link) => link.writer().write_many(COUNT),
            Self::There(writer) => writer.go().and_then(|()| writer.done()),
        }
    }
}

/// A reader, and how its endpoints are asked for.
struct Reading {
    reader: Inbox,
    endpoint: EndpointConfig,
}

impl Reading {
    fn new(context: &Context, participant: &ParticipantConfig, topic: &str) -> Verdict<Self> {
        let mut endpoint = context.endpoint();
        topic.clone_into(&mut endpoint.topic);
        let participant = context.library.participant(participant)?;
        let reader = Inbox::new(&participant, &endpoint)?;
        Ok(Self { reader, endpoint })
    }

    /// Samples of the writer that is trusted and of the one that is not.
    fn counts(&self, context: &Context, expected: usize) -> Verdict<[usize; 2]> {
        let of =
            |id, got: &[crate::kit::Got]| got.iter().filter(|g| g.header.writer_id == id).count();
        let got =
            self.reader.gather_until(context.patience(), |got| of(FRIEND, got) >= expected)?;
        // What must not come gets its time as well.
        let late = self.reader.gather_until(context.options.quiet, |_| false)?;
        Ok([FRIEND, STRANGER].map(|id| of(id, &got) + of(id, &late)))
    }
}

/// A reader of `ours` hears a writer of `friend` and must not hear one of `stranger`, which has as much
/// time to be found. Gives what kept the stranger away.
fn only_friends_are_heard(
    context: &Context,
    ours: &ParticipantConfig,
    friend: &ParticipantConfig,
    stranger: &ParticipantConfig,
    topic: &str,
) -> Verdict {
    let link = Reading::new(context, ours, topic)?;
    // First, so that it could have been heard whenever the other one is.
    let strange = Writing::start(context, &link, stranger, STRANGER);
    let mut known = Writing::start(context, &link, friend, FRIEND)?;
    known.write()?;
    let kept = match strange {
        Ok(mut strange) => match strange.write() {
            Ok(()) => "wrote and was not heard".to_owned(),
            Err(stop) => stop.to_string(),
        },
        Err(stop) => stop.to_string(),
    };
    let [friends, strangers] = link.counts(context, COUNT as usize)?;
    ensure!(
        friends == COUNT as usize || !context.honours(busmark_adapter::QosValue::Reliable),
        "of {COUNT} samples of the participant that is trusted {friends} arrived"
    );
    ensure!(friends > 0, "the participant that is trusted was not heard either");
    ensure!(strangers == 0, "{strangers} samples arrived");
    Ok(kept)
}

fn of(profile: &str, direction: &str, stop: Stop) -> Stop {
    match stop {
        Stop::Failed(text) => Stop::Failed(format!("{profile}, {direction}: {text}")),
        skipped @ Stop::Skipped(_) => skipped,
    }
}

/// In both directions: a reader that is secured and the writer of a stranger, and a stranger's reader,
/// who hears a writer of its own kind, and a secured writer.
fn estranged(
    context: &Context,
    authority: &Authority,
    stranger: &ParticipantConfig,
    like_stranger: &ParticipantConfig,
) -> Verdict<()> {
    let ours = trusted(context, authority, "reader")?;
    let friend = trusted(context, authority, "writer")?;
    let profile = authority.profile();
    only_friends_are_heard(context, &ours, &friend, stranger, &context.topic())
        .map_err(|stop| of(profile, "from it to a secured reader", stop))?;
    // Who cannot even join hears nothing.
    let back = context.topic();
    match only_friends_are_heard(context, stranger, like_stranger, &friend, &back) {
        Ok(_) => Ok(()),
        Err(Stop::Failed(_)) if context.library.participant(stranger).is_err() => Ok(()),
        Err(stop) => Err(of(profile, "from a secured writer to it", stop)),
    }
}

pub(crate) fn c38_secured_samples_arrive(context: &Context) -> Verdict {
    let mut done = Vec::new();
    for profile in profiles(context)? {
        let authority = Authority::new(context, profile)?;
        let mut ours = trusted(context, &authority, "reader")?;
        let friend = trusted(context, &authority, "writer")?;
        if let Some(security) = ours.security.as_mut().filter(|_| authority.encrypts_keys()) {
            security.private_key = authority.encrypted("reader")?;
            PASSWORD.clone_into(&mut security.password);
        }
        let link = Reading::new(context, &ours, &context.topic())?;
        let mut writing = Writing::start(context, &link, &friend, FRIEND)
            .map_err(|stop| of(profile, "making a writer", stop))?;
        writing.write().map_err(|stop| of(profile, "writing", stop))?;
        let [friends, _] = link.counts(context, COUNT as usize)?;
        ensure!(friends == COUNT as usize, "{profile}: of {COUNT} samples {friends} arrived");
        let encrypted = if authority.encrypts_keys() { ", one private key encrypted" } else { "" };
        done.push(format!("{profile}{encrypted}"));
    }
    Ok(done.join("; "))
}

/// Something wrong with documents: what, and how to make it of good ones.
struct Fault {
    what: &'static str,
    kinds: &'static [Kind],
    make: fn(&Authority, &Authority, &mut Security) -> Verdict<()>,
}

/// With two authorities, and documents of a participant of the first.
const FAULTS: &[Fault] = &[
    Fault {
        what: "an identity CA that is not there",
        kinds: Kind::ALL,
        make: |a, _, s| {
            s.identity_ca = a.path("missing.pem").to_string_lossy().into_owned();
            Ok(())
        },
    },
    Fault {
        what: "a certificate that is not there",
        kinds: Kind::ALL,
        make: |a, _, s| {
            s.certificate = a.path("missing.pem").to_string_lossy().into_owned();
            Ok(())
        },
    },
    Fault {
        what: "a private key that is not there",
        kinds: Kind::ALL,
        make: |a, _, s| {
            s.private_key = a.path("missing.key").to_string_lossy().into_owned();
            Ok(())
        },
    },
    Fault {
        what: "a private key that cannot be read",
        kinds: Kind::ALL,
        make: |a, _, s| {
            s.private_key = a.file("broken.key", "-----BEGIN PRIVATE KEY-----\nnothing\n")?;
            Ok(())
        },
    },
    Fault {
        what: "a certificate that another CA has signed",
        kinds: Kind::ALL,
        make: |_, other, s| {
            let foreign = other.identity("participant")?;
            (s.certificate, s.private_key) = (foreign.certificate, foreign.private_key);
            Ok(())
        },
    },
    Fault {
        what: "a certificate that has expired",
        kinds: Kind::X509,
        make: |a, _, s| {
            s.certificate = a.certificate("participant", When::Past)?;
            Ok(())
        },
    },
    Fault {
        what: "a certificate that is not valid yet",
        kinds: Kind::X509,
        make: |a, _, s| {
            s.certificate = a.certificate("participant", When::Future)?;
            Ok(())
        },
    },
    Fault {
        what: "the key of another certificate",
        kinds: Kind::ALL,
        make: |a, _, s| {
            s.private_key = a.identity("another")?.private_key;
            Ok(())
        },
    },
    Fault {
        what: "a wrong password",
        kinds: Kind::X509,
        make: |a, _, s| {
            s.private_key = a.encrypted("participant")?;
            s.password = format!("{PASSWORD}-or-not");
            Ok(())
        },
    },
    Fault {
        what: "no password",
        kinds: Kind::X509,
        make: |a, _, s| {
            s.private_key = a.encrypted("participant")?;
            Ok(())
        },
    },
    Fault {
        what: "a permissions CA that is not there",
        kinds: &[Kind::Dds],
        make: |a, _, s| {
            s.permissions_ca = a.path("missing.pem").to_string_lossy().into_owned();
            Ok(())
        },
    },
    Fault {
        what: "governance that is not there",
        kinds: &[Kind::Dds],
        make: |a, _, s| {
            s.governance = a.path("missing.p7s").to_string_lossy().into_owned();
            Ok(())
        },
    },
    Fault {
        what: "permissions that are not there",
        kinds: &[Kind::Dds],
        make: |a, _, s| {
            s.permissions = a.path("missing.p7s").to_string_lossy().into_owned();
            Ok(())
        },
    },
    Fault {
        what: "governance that was changed after it was signed",
        kinds: &[Kind::Dds],
        make: |a, _, s| {
            let tag = "allow_unauthenticated_participants>";
            s.governance =
                a.changed(&s.governance, &format!("{tag}false"), &format!("{tag}true"))?;
            Ok(())
        },
    },
    Fault {
        what: "governance that another CA has signed",
        kinds: &[Kind::Dds],
        make: |_, other, s| {
            s.governance = other.identity("participant")?.governance;
            Ok(())
        },
    },
    Fault {
        what: "permissions that were changed after they were signed",
        kinds: &[Kind::Dds],
        make: |a, _, s| {
            s.permissions = a.changed(&s.permissions, "DENY", "ALLOW")?;
            Ok(())
        },
    },
    Fault {
        what: "permissions that another CA has signed",
        kinds: &[Kind::Dds],
        make: |_, other, s| {
            s.permissions = other.identity("participant")?.permissions;
            Ok(())
        },
    },
    Fault {
        what: "permissions of another domain",
        kinds: &[Kind::Dds],
        make: |a, _, s| {
            let elsewhere = a.limited("participant", a.domain() + 1, "*")?;
            *s = elsewhere;
            Ok(())
        },
    },
    Fault {
        what: "governance of another domain",
        kinds: &[Kind::Dds],
        make: |a, _, s| {
            s.governance = a.governance("elsewhere", a.domain() + 1)?;
            Ok(())
        },
    },
];

pub(crate) fn c38_documents_that_cannot_be_used_are_refused(context: &Context) -> Verdict {
    let mut told = Vec::new();
    for profile in profiles(context)? {
        let refused = faults_are_refused(context, profile)?;
        // The reasons once: they are about documents, which all profiles have alike.
        told.push(if told.is_empty() {
            format!("{profile}: {}", refused.join("; "))
        } else {
            format!("{profile}: {} faults likewise", refused.len())
        });
    }
    Ok(told.join(" · "))
}

/// Each fault by itself; in the words of the adapter.
fn faults_are_refused(context: &Context, profile: &str) -> Verdict<Vec<String>> {
    let authority = Authority::new(context, profile)?;
    let other = Authority::new(context, profile)?;
    let good = trusted(context, &authority, "participant")?;
    context
        .library
        .participant(&good)
        .map_err(|error| Stop::Failed(format!("documents without a fault are refused: {error}")))?;
    let faults = FAULTS.iter().filter(|f| f.kinds.contains(&authority.kind()));
    let (mut told, mut wrong) = (Vec::new(), Vec::new());
    for fault in faults {
        // Each from documents without a fault, also where the last fault has made others.
        let mut config = trusted(context, &authority, "participant")?;
        if let Some(security) = &mut config.security {
            (fault.make)(&authority, &other, security)?;
        }
        match context.library.participant(&config) {
            Ok(_) => wrong.push(format!("{} was accepted", fault.what)),
            Err(error) if error.message.contains(PASSWORD) => {
                wrong.push(format!("{}: the message says the password", fault.what));
            }
            Err(error) if error.message.len() < 8 => {
                wrong.push(format!("{}: no reason, but {:?}", fault.what, error.message));
            }
            Err(error) => told.push(format!("{}: {}", fault.what, error.message)),
        }
    }
    ensure!(wrong.is_empty(), "{profile}: {}", wrong.join("; "));
    Ok(told)
}

pub(crate) fn c38_a_plain_participant_exchanges_nothing(context: &Context) -> Verdict {
    let profiles = profiles(context)?;
    for profile in profiles {
        let authority = Authority::new(context, profile)?;
        let plain = ParticipantConfig { security: None, ..trusted(context, &authority, "plain")? };
        estranged(context, &authority, &plain, &plain)?;
    }
    Ok(format!("neither direction: {}", profiles.join(", ")))
}

pub(crate) fn c38_an_identity_of_another_authority_exchanges_nothing(context: &Context) -> Verdict {
    let profiles = profiles(context)?;
    for profile in profiles {
        let authority = Authority::new(context, profile)?;
        let other = Authority::new(context, profile)?;
        let good = trusted(context, &authority, "reader")?;
        let foreign = |name: &str| -> Verdict<ParticipantConfig> {
            let security = Some(Box::new(other.identity(name)?));
            Ok(ParticipantConfig { security, ..good.clone() })
        };
        estranged(context, &authority, &foreign("first")?, &foreign("second")?)?;
    }
    Ok(format!("neither direction: {}", profiles.join(", ")))
}

pub(crate) fn c38_a_topic_that_is_not_permitted_carries_nothing(context: &Context) -> Verdict {
    let mut told = Vec::new();
    for profile in profiles(context)?.iter().filter(|profile| permits(profile)) {
        told.push(format!("{profile}: {}", forbidden_topic_is_silent(context, profile)?));
    }
    if told.is_empty() { skip("no profile knows permissions") } else { Ok(told.join(" · ")) }
}

fn forbidden_topic_is_silent(context: &Context, profile: &str) -> Verdict {
    let authority = Authority::new(context, profile)?;
    let (allowed, forbidden) = (context.topic(), context.topic());
    let ours = trusted(context, &authority, "reader")?;
    let friend = trusted(context, &authority, "writer")?;
    let limited = ParticipantConfig {
        security: Some(Box::new(authority.limited("limited", authority.domain(), &allowed)?)),
        ..ours.clone()
    };
    let named = |what: &'static str| move |stop| of(profile, what, stop);
    // The limited one is heard on its topic, so that its silence elsewhere means something.
    let link = Reading::new(context, &ours, &allowed)?;
    let mut writing = Writing::start(context, &link, &limited, FRIEND)?;
    writing.write().map_err(named("on the topic that is permitted"))?;
    let [heard, _] = link.counts(context, COUNT as usize)?;
    ensure!(heard > 0, "nothing arrived on the topic that is permitted");
    drop((writing, link));
    let wrote = only_friends_are_heard(context, &ours, &friend, &limited, &forbidden)
        .map_err(named("written on a topic that is not permitted"))?;
    Ok(format!("written: {wrote}; read: {}", read_without_permission(context, &limited, &friend)?))
}

/// A reader that permissions do not allow must get nothing of a writer who may write there.
fn read_without_permission(
    context: &Context,
    limited: &ParticipantConfig,
    friend: &ParticipantConfig,
) -> Verdict {
    let link = match Reading::new(context, limited, &context.topic()) {
        Ok(link) => link,
        Err(stop) => return Ok(stop.to_string()),
    };
    if let Ok(mut writing) = Writing::start(context, &link, friend, STRANGER) {
        let _ = writing.write();
        let [_, heard] = link.counts(context, 0)?;
        ensure!(heard == 0, "{heard} samples were read on a topic that is not permitted");
    }
    Ok("nothing arrived".to_owned())
}

/// One writer of this participant and one reader of that one, in two processes.
pub(super) fn across(
    context: &Context,
    reader: &ParticipantConfig,
    writer: &ParticipantConfig,
    topic: &str,
) -> Verdict<usize> {
    let link = Reading::new(context, reader, topic)?;
    let plan = Plan::new(context, &link.endpoint);
    let side = Side { participant: writer.clone(), ..plan.writer };
    let mut peer = PeerProcess::start_with(context, &side, &errand(context, FRIEND))?;
    peer.connect(context, &link.reader)?;
    peer.go()?;
    peer.done()?;
    Ok(link.counts(context, COUNT as usize)?[0])
}
