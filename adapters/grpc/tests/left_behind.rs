//! In a process of its own, where nobody else opens or closes anything.

#[test]
fn nothing_is_left_behind() {
    busmark_sockets::testing::stream::nothing_is_left("grpc", "tcp");
}
