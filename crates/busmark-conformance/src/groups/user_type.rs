//! C30: one value of the user's type.

use std::sync::Arc;

use busmark_adapter::{EndpointConfig, Header, Payload, Status};

use crate::kit::{Context, Link, Verdict, ensure, fail, skip};

pub(crate) fn c30_the_payload_kind_type_goes_with_the_name_of_a_type(context: &Context) -> Verdict {
    let declared = context.caps.payloads.contains(&Payload::Type);
    match (&context.caps.user_type, declared) {
        (Some(name), true) => Ok(name.clone()),
        (None, false) => Ok("compiled without a user's type".to_owned()),
        (Some(name), false) => fail(format!("names {name}, but has no payload kind type")),
        (None, true) => fail("has the payload kind type, but names none"),
    }
}

/// The value that the caller has for the type of this library.
fn value(context: &Context) -> Verdict<Arc<[u8]>> {
    if !context.caps.payloads.contains(&Payload::Type) {
        return skip("compiled without a user's type");
    }
    match &context.options.body {
        Some(value) => Ok(Arc::clone(value)),
        None => skip("needs a value of the type: --body FILE"),
    }
}

fn endpoint(context: &Context, value: &[u8]) -> EndpointConfig {
    EndpointConfig {
        payload: Payload::Type,
        max_body_bytes: value.len() as u64,
        ..context.endpoint()
    }
}

/// The body of one sample with these flags, as it arrived.
fn carry(context: &Context, link: &mut Link, flags: u32) -> Verdict<Vec<u8>> {
    link.writer().header.flags = flags;
    let seq = link.writer().write()?;
    let got = link.reader().gather(1, context.patience())?;
    match got.into_iter().find(|got| got.header.seq == seq) {
        Some(got) => Ok(got.body),
        None => fail(format!("sample {seq} did not arrive")),
    }
}

pub(crate) fn c30_a_value_arrives_bit_for_bit(context: &Context) -> Verdict {
    let value = value(context)?;
    let mut link = Link::pair(context, &endpoint(context, &value))?;
    for _ in 0..3 {
        let body = carry(context, &mut link, Header::CHECKED)?;
        ensure!(
            body[..] == value[..],
            "a value of {} bytes arrived as {} bytes, or changed",
            value.len(),
            body.len()
        );
    }
    Ok(format!("{} bytes of CDR", value.len()))
}

pub(crate) fn c30_a_value_that_is_not_checked_is_not_serialised_again(
    context: &Context,
) -> Verdict {
    let value = value(context)?;
    let mut link = Link::pair(context, &endpoint(context, &value))?;
    let body = carry(context, &mut link, 0)?;
    ensure!(body.is_empty(), "a body of {} bytes came with an unchecked sample", body.len());
    Ok("no body".to_owned())
}

pub(crate) fn c30_a_body_that_is_no_value_is_refused(context: &Context) -> Verdict {
    let value = value(context)?;
    let participant = context.participant()?;
    let writer = participant.writer(&endpoint(context, &value))?;
    for (what, body) in [("nothing", &value[..0]), ("a value cut short", &value[..value.len() / 2])]
    {
        match writer.sample(body) {
            Err(error) if error.status == Status::Invalid => (),
            Err(error) => return fail(format!("{what} is refused with {error}")),
            Ok(_) => return fail(format!("{what} is taken for a value")),
        }
    }
    Ok("refused: nothing, a value cut short".to_owned())
}
