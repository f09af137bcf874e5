//! What goes over a connection.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Passes on whatever connects to the address `to`, and keeps every byte of both directions.
pub fn wiretap(to: String) -> (String, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a socket");
    let address = listener.local_addr().expect("an address").to_string();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    // Until the process ends.
    std::thread::spawn(move || {
        for near in listener.incoming().map_while(std::result::Result::ok) {
            let far = TcpStream::connect(&to).expect("a connection");
            let clone = |one: &TcpStream| one.try_clone().expect("a descriptor");
            for (from, to) in [(clone(&near), clone(&far)), (far, near)] {
                let kept = Arc::clone(&kept);
                std::thread::spawn(move || pass_on(from, to, &kept));
            }
        }
    });
    (address, heard)
}

fn pass_on(mut from: TcpStream, mut to: TcpStream, kept: &Mutex<Vec<u8>>) {
    let mut bytes = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        kept.lock().expect("a lock").extend_from_slice(&bytes[..count]);
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}
