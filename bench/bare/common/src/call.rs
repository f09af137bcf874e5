//! Requests and responses in a closed loop.

use crate::ping::print;
use crate::{Header, Options, Services, now_ns};

/// Times responses and prints them.
pub fn call<S: Services>(options: &Options) -> Result<(), String> {
    let mut client = S::client(options)?;
    let mut times = Vec::with_capacity(options.warmup + options.count);
    let mut request = Header::default();
    while times.len() < times.capacity() {
        let sent_ns = now_ns();
        request.times[1] = sent_ns.cast_signed();
        client(&request)?;
        times.push(now_ns() - sent_ns);
        request.seq += 1;
    }
    print(&mut times[options.warmup..]);
    // The server may be gone before its response.
    let _ = client(&Header::last());
    Ok(())
}
