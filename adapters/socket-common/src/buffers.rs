//! Socket buffers: as the system gives them, or exactly what was asked for.

use std::os::fd::AsFd;

use busmark_adapter::{OptionSpec, ParticipantConfig, Result, not_granted};
use rustix::io::Errno;
use rustix::net::sockopt;

use crate::errors::os_error;

/// The option for the receive buffer.
pub const RECEIVE_BUFFER: OptionSpec = OptionSpec {
    key: "receive_buffer_bytes",
    value: "0",
    doc: "Receive buffer of each socket in bytes; 0 leaves the system's default; more than the \
          kernel grants (net.core.rmem_max) is an error.",
};
/// The option for the send buffer.
pub const SEND_BUFFER: OptionSpec = OptionSpec {
    key: "send_buffer_bytes",
    value: "0",
    doc: "Send buffer of each socket in bytes; 0 leaves the system's default; more than the \
          kernel grants (net.core.wmem_max) is an error.",
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size {
    /// The system's default.
    System,
    /// Asked for by the user: this or an error.
    Exactly(usize),
    /// Size of the tuned profile: this or what the kernel grants.
    UpTo(usize),
}

impl Size {
    fn new(config: &ParticipantConfig, option: &OptionSpec, tuned: usize) -> Result<Self> {
        let asked: usize = config.setting(&[*option], option.key).number()?;
        let said = config.settings.iter().any(|(key, _)| key == option.key);
        Ok(match asked {
            0 if !said && tuned > 0 && config.tuned() => Self::UpTo(tuned),
            0 => Self::System,
            bytes => Self::Exactly(bytes),
        })
    }
}

/// The buffers of every socket of a participant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    receive: Size,
    send: Size,
}

impl Buffers {
    /// From the options; `tuned` is what the tuned profile tries where the options are silent, 0 if
    /// it leaves the system's default.
    pub fn new(config: &ParticipantConfig, tuned: usize) -> Result<Self> {
        let receive = Size::new(config, &RECEIVE_BUFFER, tuned)?;
        Ok(Self { receive, send: Size::new(config, &SEND_BUFFER, tuned)? })
    }

    /// Sets the buffers of a socket.
    pub fn apply(&self, socket: impl AsFd) -> Result<()> {
        let socket = socket.as_fd();
        set(self.receive, RECEIVE_BUFFER.key, "rmem_max", |bytes| {
            if let Some(bytes) = bytes {
                sockopt::set_socket_recv_buffer_size(socket, bytes)?;
            }
            sockopt::socket_recv_buffer_size(socket)
        })?;
        set(self.send, SEND_BUFFER.key, "wmem_max", |bytes| {
            if let Some(bytes) = bytes {
                sockopt::set_socket_send_buffer_size(socket, bytes)?;
            }
            sockopt::socket_send_buffer_size(socket)
        })
    }
}

/// The kernel books twice what it grants, to have room for its own records, and reports that.
const BOOKED: usize = 2;

fn set(
    size: Size,
    key: &str,
    limit: &str,
    change: impl Fn(Option<usize>) -> std::result::Result<usize, Errno>,
) -> Result<()> {
    let (asked, exact) = match size {
        Size::System => return Ok(()),
        Size::Exactly(bytes) => (bytes, true),
        Size::UpTo(bytes) => (bytes, false),
    };
    let remedy = |granted: usize| not_granted(key, asked as u64, granted as u64, limit);
    match change(Some(asked)) {
        Ok(booked) if exact && booked / BOOKED < asked => Err(remedy(booked / BOOKED)),
        Ok(_) => Ok(()),
        // The number does not even fit the system call.
        Err(Errno::INVAL | Errno::OVERFLOW) => {
            let granted = change(None).map_err(|errno| os_error(key, errno))?;
            Err(remedy(granted / BOOKED))
        }
        Err(errno) => Err(os_error(key, errno)),
    }
}
