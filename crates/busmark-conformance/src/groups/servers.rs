//! C29: middleware whose participants meet at a server.

use std::net::{SocketAddr, TcpStream, UdpSocket};

use busmark_adapter::{Feature, Status};

use crate::kit::process::children;
use crate::kit::{Context, Link, Plan, Verdict, ensure, fail, until};

pub(crate) fn c29_the_server_serves_and_is_gone_after_destroy(context: &Context) -> Verdict {
    context.need(Feature::Server)?;
    // The one that other participants of this test meet at is not the one that is tested.
    context.serve();
    let before = children();
    let mut config = context.bare_participant_config(0);
    let (server, address) = context.library.server(&config)?;
    ensure!(!address.is_empty(), "the server has no address");
    config.settings.push(("server".to_owned(), address.clone()));
    let mut plan = Plan::new(context, &context.endpoint());
    plan.writer.participant = config.clone();
    plan.reader.participant = config;
    let mut link = Link::open(context, &plan)?;
    let got = link.exchange(10, context.patience())?.remove(0);
    ensure!(got.len() == 10, "{} of 10 samples came by way of the server", got.len());
    drop(link);
    drop(server);
    until("the server's process ends", context.patience(), || {
        let left: Vec<_> = children().difference(&before).copied().collect();
        if left.is_empty() { Ok(()) } else { Err(format!("still there: {left:?}")) }
    })?;
    let place = address.split('/').next().and_then(|place| place.parse::<SocketAddr>().ok());
    if let Some(place) = place {
        ensure!(TcpStream::connect(place).is_err(), "{address} still accepts connections");
        ensure!(UdpSocket::bind(place).is_ok(), "somebody still has the UDP port of {address}");
    }
    Ok(format!("10 samples by way of {address}; afterwards no process, no file, no open port"))
}

pub(crate) fn c29_two_servers_stand_side_by_side(context: &Context) -> Verdict {
    context.need(Feature::Server)?;
    let config = context.bare_participant_config(0);
    let first = context.library.server(&config)?;
    let second = context.library.server(&config)?;
    ensure!(first.1 != second.1, "both servers have the address {}", first.1);
    Ok(format!("{} and {}", first.1, second.1))
}

pub(crate) fn c29_without_the_feature_there_is_no_server(context: &Context) -> Verdict {
    if context.has(Feature::Server) {
        let options = &context.caps.options;
        ensure!(options.iter().any(|o| o.key == "server"), "there is no option \"server\"");
        return Ok("the option \"server\" is there".to_owned());
    }
    match context.library.server(&context.bare_participant_config(0)) {
        Err(error) if error.status == Status::Unsupported => Ok("none".to_owned()),
        Err(error) => fail(format!("not refused as unsupported: {error}")),
        Ok((_, address)) => fail(format!("a server was started at {address}")),
    }
}
