//! Sending many datagrams with one system call (C34), which has no safe wrapper.

use std::os::fd::{AsFd, AsRawFd};

use busmark_adapter::Header;
use rustix::io::Errno;

/// Datagrams of one call.
pub const MOST: usize = 64;

/// Sends these bodies with these headers, at most [`MOST`], to where the socket is connected; how
/// many the kernel took. An error belongs to the first.
pub fn send<'a>(
    socket: impl AsFd,
    datagrams: impl Iterator<Item = (&'a Header, &'a [u8])>,
) -> Result<usize, Errno> {
    let none = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 };
    let mut vectors = [[none; 2]; MOST];
    // SAFETY: a message header is plain data for which zeros mean "no name, no control data".
    let mut messages: [libc::mmsghdr; MOST] = unsafe { std::mem::zeroed() };
    let mut count = 0;
    for (header, body) in datagrams.take(MOST) {
        vectors[count] = [&header.as_bytes()[..], body].map(|bytes| libc::iovec {
            iov_base: bytes.as_ptr().cast_mut().cast(),
            iov_len: bytes.len(),
        });
        count += 1;
    }
    for (message, vector) in messages.iter_mut().zip(&mut vectors).take(count) {
        message.msg_hdr.msg_iov = vector.as_mut_ptr();
        message.msg_hdr.msg_iovlen = vector.len();
    }
    // SAFETY: `count` messages have two vectors each, which lead into headers and bodies that live during
    // the call; the kernel only reads them.
    let sent = unsafe {
        libc::sendmmsg(
            socket.as_fd().as_raw_fd(),
            messages.as_mut_ptr(),
            count as u32,
            libc::MSG_NOSIGNAL,
        )
    };
    usize::try_from(sent)
        .map_err(|_| Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
}
