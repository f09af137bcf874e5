//! C31, C32: the host, and words for failures of the hot path.

use std::ffi::{CStr, c_char, c_void};
use std::mem::offset_of;
use std::sync::Mutex;

use busmark_adapter::ABI_VERSION;
use busmark_adapter::abi::{HostC, Table};

use crate::kit::{Context, Link, Stop, Verdict, ensure, skip};
use crate::raw::RawTable;

/// Lines that came through the log of this test's host.
static LINES: Mutex<Vec<Result<String, String>>> = Mutex::new(Vec::new());

unsafe extern "C" fn keep(_: *mut c_void, level: u32, text: *const c_char) {
    let line = if text.is_null() {
        Err("NULL instead of a text".to_owned())
    } else {
        // SAFETY: a text ends with a zero (contract).
        let text = unsafe { CStr::from_ptr(text) };
        match text.to_str() {
            Ok(text) if text.contains(['\n', '\r']) => Err(format!("a line break in {text:?}")),
            Ok(_) if level > 2 => Err(format!("level {level}")),
            Ok(text) => Ok(text.to_owned()),
            Err(error) => Err(format!("no UTF-8: {error}")),
        }
    };
    LINES.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(line);
}

/// A host that lives as long as the process, as the contract says.
fn host(struct_size: usize) -> &'static HostC {
    Box::leak(Box::new(HostC {
        struct_size: struct_size as u32,
        abi_version: ABI_VERSION,
        table_bytes: size_of::<Table>() as u64,
        name: c"busmark-check".as_ptr(),
        log: Some(keep),
        context: std::ptr::null_mut(),
    }))
}

/// Samples pass and a refusal is reported, with this host.
fn works(context: &Context) -> Verdict<()> {
    let mut link = Link::pair(context, &context.endpoint())?;
    link.writer().write_many(3)?;
    let got = link.reader().gather(1, context.patience())?;
    ensure!(!got.is_empty(), "no sample arrived");
    let mut wrong = context.participant_config(0);
    "no such transport".clone_into(&mut wrong.transport);
    ensure!(context.library.participant(&wrong).is_err(), "an unknown transport was accepted");
    Ok(())
}

pub(crate) fn c31_a_host_of_any_size_is_accepted(context: &Context) -> Verdict {
    let raw = RawTable::of(&context.library).map_err(Stop::Failed)?;
    let Some(attach) = raw.table().attach else { return skip("the table has no attach") };
    let lines = || LINES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    lines().clear();
    // A host from before `log`: what lies behind its structure is not to be read.
    // SAFETY: the host lives as long as the process.
    unsafe { attach(host(offset_of!(HostC, log))) };
    works(context)?;
    ensure!(lines().is_empty(), "the log was called, which the host's struct_size does not cover");
    // SAFETY: as above.
    unsafe { attach(host(size_of::<HostC>() + 64)) };
    works(context)?;
    let found = std::mem::take(&mut *lines());
    for line in &found {
        if let Err(wrong) = line {
            return crate::kit::fail(format!("a line of the log has {wrong}"));
        }
    }
    Ok(format!("with a host without a log and with a longer one; {} lines logged", found.len()))
}

pub(crate) fn c32_words_come_after_a_failure_only(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &context.endpoint())?;
    link.writer().write()?;
    link.reader().gather(1, context.patience())?;
    for (side, told) in [
        ("writer", link.writers[0].handle.last_error()),
        ("reader", link.reader().handle.last_error()),
    ] {
        if let Some(error) = told {
            return crate::kit::fail(format!(
                "nothing failed, but {side}_last_error says: {error}"
            ));
        }
    }
    Ok("nothing is told where nothing failed".to_owned())
}

pub(crate) fn c32_a_failed_write_is_reported_in_words(context: &Context) -> Verdict {
    if !context.caps.options.iter().any(|option| option.key == "fail") {
        return skip("no option \"fail\", by which the reference adapter lets writes fail");
    }
    let endpoint = context.endpoint();
    let mut plan = crate::kit::Plan::new(context, &endpoint);
    plan.writer.participant.settings.push(("fail".to_owned(), "1".to_owned()));
    let mut link = Link::open(context, &plan)?;
    let Err(status) = link.writer().try_write() else {
        return crate::kit::fail("a write went well that had to fail");
    };
    let Some(error) = link.writer().handle.last_error() else {
        return crate::kit::fail(format!(
            "write gave {status}, writer_last_error has no words on it"
        ));
    };
    ensure!(error.status == status, "write gave {status}, writer_last_error {}", error.status);
    Ok(error.message)
}
