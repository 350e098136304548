//! The listening end of a named pipe.

use std::borrow::ToOwned as _;
use std::boxed::Box;
use std::io;
use std::string::String;

use tokio::net::windows::named_pipe::{NamedPipeServer, ServerOptions};
use tokio::sync::Mutex;

use super::stream::Stream;
use super::system::{self, AccessList};
use super::{check_owner, path, BUFFER_BYTES, BUSY_PAUSE, READ_WRITE};
use crate::net::transport::{
    EstablishedConnection, IncomingConnection, ListenOptions, Listener, Pending,
};
use crate::net::Process;

/// How often a name is looked at that somebody serves.
const DROP_TRIES: u32 = 10;

/// A listener, with the instance that nobody has connected to.
pub(super) struct Bound {
    name: String,
    access: AccessList,
    /// There is none if it could not be made.
    next: Mutex<Option<NamedPipeServer>>,
}

impl Bound {
    /// Serves a pipe, unless another process does. A name stays as long as connections by it do, also
    /// those of a server that drains: nobody waits for clients there, and the name may be taken over
    /// from the own user.
    pub(super) async fn new(name: &str, options: ListenOptions) -> io::Result<Self> {
        let own = system::own_user()?;
        let others = if options.allow_other_users {
            std::format!("(A;;{READ_WRITE:#x};;;AU)")
        } else {
            String::new()
        };
        let access = AccessList::read(&std::format!("O:{own}D:P(A;;GA;;;{own}){others}"))?;
        let mut tries = 0;
        let is_crowded = loop {
            match system::is_crowded(&path(name)) {
                // The instance of a server that was dropped is there until its wait is cancelled.
                Err(_) if tries < DROP_TRIES => tries += 1,
                known => break known?,
            }
            tokio::time::sleep(BUSY_PAUSE).await;
        };
        let next = match instance(name, &access, true) {
            Err(refused) if is_crowded && refused.kind() == io::ErrorKind::PermissionDenied => {
                let made = instance(name, &access, false)?;
                check_owner(&made, false)?;
                made
            }
            made => made?,
        };
        let (name, next) = (name.to_owned(), Mutex::new(Some(next)));
        Ok(Self { name, access, next })
    }

    /// Waits for a client. The next instance is made before its own is given away, so that the name
    /// always has one.
    async fn next(&self) -> io::Result<NamedPipeServer> {
        let mut next = self.next.lock().await;
        let waiting = match &mut *next {
            Some(waiting) => waiting,
            none => none.insert(instance(&self.name, &self.access, false)?),
        };
        let connected = waiting.connect().await;
        let mine = next.take();
        *next = instance(&self.name, &self.access, false).ok();
        connected?;
        mine.ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

#[expect(unsafe_code, reason = "Tokio takes attributes as a pointer")]
fn instance(name: &str, access: &AccessList, is_first: bool) -> io::Result<NamedPipeServer> {
    let mut options = ServerOptions::new();
    options
        .first_pipe_instance(is_first)
        .in_buffer_size(BUFFER_BYTES)
        .out_buffer_size(BUFFER_BYTES);
    access.attributes(|attributes| {
        // SAFETY: the attributes are there as long as the call.
        unsafe { options.create_with_security_attributes_raw(path(name), attributes) }
    })
}

impl Listener for Bound {
    fn place(&self) -> io::Result<String> {
        Ok(self.name.clone())
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        Box::pin(async {
            let pipe = self.next().await?;
            // One whose user is not known is let in where anybody is.
            let process = system::client(&pipe).ok();
            let process = process.map(|(id, user)| Process::of_windows(id, user));
            let stream = EstablishedConnection::new(Stream::accepted(pipe)).with_process(process);
            Ok(IncomingConnection::new(async { Ok(stream) }))
        })
    }
}
