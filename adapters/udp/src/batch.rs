//! The two system calls that have no safe wrapper: receiving many datagrams at once, and asking how
//! many were dropped.

use std::os::fd::{AsFd, AsRawFd};

use rustix::io::Errno;

/// Datagrams that one call can receive, at most.
const LARGEST_BATCH: usize = 64;
/// Memory of a batch, about: more than stays in the cache would cost more than calls save.
const MEMORY: usize = 256 << 10;
/// Where bodies begin in memory is a multiple of this.
const ALIGNMENT: usize = 64;

/// Room for a batch of datagrams.
pub struct Batch {
    memory: Box<[u8]>,
    stride: usize,
    room: usize,
    vectors: Box<[libc::iovec]>,
    messages: Box<[libc::mmsghdr]>,
}

// SAFETY: the pointers in `vectors` and `messages` are set anew before every use and lead into the
// structure's own boxes.
unsafe impl Send for Batch {}

impl Batch {
    /// For datagrams of at most `room` bytes.
    pub fn new(room: usize) -> Self {
        let stride = room.next_multiple_of(ALIGNMENT);
        let count = (MEMORY / stride).clamp(1, LARGEST_BATCH);
        let vector = libc::iovec { iov_base: std::ptr::null_mut(), iov_len: room };
        // SAFETY: a message header is plain data for which zeros mean "no name, no control data".
        let message: libc::mmsghdr = unsafe { std::mem::zeroed() };
        Self {
            memory: vec![0; stride * count].into(),
            stride,
            room,
            vectors: vec![vector; count].into(),
            messages: vec![message; count].into(),
        }
    }

    /// Where one datagram is received by a plain call; it becomes the first of the batch.
    #[inline]
    pub fn first(&mut self) -> &mut [u8] {
        &mut self.memory[..self.room]
    }

    /// The length of the first datagram as the plain call gave it, longer than its room if the
    /// kernel cut it off.
    #[inline]
    pub fn set_first(&mut self, bytes: usize) {
        self.messages[0].msg_len = bytes as u32;
        self.messages[0].msg_hdr.msg_flags = 0;
    }

    /// Receives what is there, as many as there is room for; sleeps for the first of them unless `flags`
    /// say otherwise. Returns their number.
    #[inline]
    pub fn receive(&mut self, socket: impl AsFd, flags: i32) -> Result<usize, Errno> {
        let memory = self.memory.as_mut_ptr();
        let all = self.vectors.iter_mut().zip(&mut self.messages).enumerate();
        for (index, (vector, message)) in all {
            vector.iov_base = memory.wrapping_add(index * self.stride).cast();
            message.msg_hdr.msg_iov = vector;
            message.msg_hdr.msg_iovlen = 1;
        }
        // SAFETY: every message has one vector, whose memory is `room` bytes within `self.memory`;
        // all of it lives during the call and nobody else has it (`&mut self`).
        let count = unsafe {
            libc::recvmmsg(
                socket.as_fd().as_raw_fd(),
                self.messages.as_mut_ptr(),
                self.messages.len() as u32,
                libc::MSG_WAITFORONE | flags,
                std::ptr::null_mut(),
            )
        };
        usize::try_from(count).map_err(|_| last_error())
    }

    /// The bytes of one datagram of the last receive; `None` if it was cut off.
    #[inline]
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let message = &self.messages[index];
        let bytes = message.msg_len as usize;
        if bytes > self.room || message.msg_hdr.msg_flags & libc::MSG_TRUNC != 0 {
            return None;
        }
        let from = index * self.stride;
        Some(&self.memory[from..from + bytes])
    }
}

fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// Words of the answer to `SO_MEMINFO`, and which of them counts drops (`linux/sock_diag.h`).
const MEMINFO_WORDS: usize = 9;
const MEMINFO_DROPS: usize = 8;

/// Datagrams that the kernel dropped because this socket's buffer was full.
pub fn drops(socket: impl AsFd) -> Option<u64> {
    let mut words = [0_u32; MEMINFO_WORDS];
    let mut bytes = size_of_val(&words) as libc::socklen_t;
    // SAFETY: the buffer has the length that is given.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            words.as_mut_ptr().cast(),
            &raw mut bytes,
        )
    };
    (result == 0 && bytes as usize == size_of_val(&words)).then(|| u64::from(words[MEMINFO_DROPS]))
}
