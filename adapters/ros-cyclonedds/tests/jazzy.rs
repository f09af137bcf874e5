//! Nodes of ROS 2 Jazzy, by the library of the adapter `rmw-jazzy`.

#[allow(dead_code, reason = "the other test needs all of it")]
mod common;

#[test]
fn a_message_of_each_reaches_the_other() {
    common::both_ways("rmw_jazzy", common::domain(1));
}
