//! The program without the simulation, over sockets and in the time of the system.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, ChildStdout, Command, Stdio};

struct Program {
    child: Child,
    input: UnixStream,
    output: BufReader<ChildStdout>,
}

impl Program {
    fn start(folder: &std::path::Path) -> Self {
        let (input, theirs) = UnixStream::pair().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_mxp-network"))
            .env("MXP_NETWORK", folder)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
        }
    }

    fn tell(&mut self, line: &str) {
        writeln!(self.input, "{line}").unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_client_and_a_server_say_what_they_do() {
    let folder = std::env::temp_dir().join(format!("mxp-network-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut server, mut client) = (Program::start(&folder), Program::start(&folder));
    server.tell("serve server=client1");
    client.tell("client");
    client.tell("call id=7 work=10 bytes=5 reply=3");
    assert_eq!(client.line(), "ended call 7 ok 1 3 0\n");
    assert_eq!(server.line(), "begun call 7 5\n");
    assert_eq!(server.line(), "done call 7\n");
    std::fs::remove_dir_all(&folder).unwrap();
}
