//! C1, C2: the table and the structures.

use std::mem::offset_of;

use busmark_adapter::abi::{CapabilitiesC, ReceivedC, Table};
use busmark_adapter::{ABI_VERSION, Header};

use crate::groups::config::RawLink;
use crate::kit::{COOKIE, Context, Stop, Verdict, ensure, until};
use crate::raw::RawTable;

pub(crate) fn c01_every_call_gives_the_same_table(context: &Context) -> Verdict {
    let raw = RawTable::of(&context.library).map_err(Stop::Failed)?;
    ensure!(raw.is_stable(3), "busmark_adapter() gave another pointer on a later call");
    let participant = context.participant()?;
    ensure!(raw.is_stable(1), "busmark_adapter() gave another pointer while a participant lives");
    drop(participant);
    ensure!(raw.is_stable(1), "busmark_adapter() gave another pointer after the last destroy");
    Ok("the same pointer before, during and after use".to_owned())
}

pub(crate) fn c01_the_table_declares_its_version_and_size(context: &Context) -> Verdict {
    let raw = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let table = raw.table();
    ensure!(
        table.abi_version == ABI_VERSION,
        "abi_version {} instead of {ABI_VERSION}",
        table.abi_version
    );
    let least = Table::MIN_SIZE;
    ensure!(
        table.struct_size as usize >= least && table.struct_size % 8 == 0,
        "struct_size {} is not a table's ({least} bytes)",
        table.struct_size
    );
    let capabilities = raw.capabilities();
    ensure!(capabilities.is_some(), "capabilities is NULL");
    let size = capabilities.map_or(0, |c| c.struct_size);
    ensure!(
        size as usize >= offset_of!(CapabilitiesC, user_type),
        "the capabilities' struct_size is {size} instead of {}",
        size_of::<CapabilitiesC>()
    );
    Ok(format!("version {}, table of {} bytes", table.abi_version, table.struct_size))
}

pub(crate) fn c02_structures_longer_than_known_are_accepted(context: &Context) -> Verdict {
    let link = RawLink::open(context)?;
    let taken = until(
        "a sample between endpoints made from longer structures",
        context.patience(),
        || {
            link.send(&Header { cookie: COOKIE, ..Header::default() })?;
            link.received()
        },
    )?;
    // What the first header had; a request of a service came later.
    let least = offset_of!(ReceivedC, request) as u32;
    let size = taken[0].0;
    ensure!(size >= least, "a received sample says struct_size {size} instead of {least}");
    Ok("participant, QoS, endpoints, listener and error structures were 64 bytes longer".to_owned())
}

pub(crate) fn c02_nothing_is_written_past_a_structure(context: &Context) -> Verdict {
    let link = RawLink::open(context)?;
    ensure!(!link.writer().counters_overrun(), "writer_counters wrote past struct_size");
    Ok("the bytes behind the counters are untouched".to_owned())
}

pub(crate) fn c02_the_room_of_the_callers_structure_is_unchanged(context: &Context) -> Verdict {
    let link = RawLink::open(context)?;
    ensure!(
        link.writer().keeps_room(),
        "writer_counters changed struct_size, which is the caller's"
    );
    Ok("struct_size of the counters is as the caller set it".to_owned())
}
