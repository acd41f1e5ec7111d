//! Detects that the client has closed its end of stdin, also while stdin is not read because the
//! server cannot write.

/// Returns when the other end of the process's stdin is closed. Never returns on systems without
/// `poll`, and for a stdin that is no pipe or socket.
pub async fn stdin_closed() {
    #[cfg(unix)]
    {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        loop {
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
            let stdin = std::io::stdin();
            // `HUP` is reported although it is not requested (poll(2)).
            let mut fds = [PollFd::new(&stdin, PollFlags::empty())];
            if poll(&mut fds, Some(&now)).is_ok() && fds[0].revents().contains(PollFlags::HUP) {
                return;
            }
        }
    }
    #[cfg(not(unix))]
    std::future::pending().await
}
