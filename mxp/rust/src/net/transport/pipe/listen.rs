//! The listening end of a named pipe.

use std::borrow::ToOwned as _;
use std::boxed::Box;
use std::io;
use std::string::String;

use tokio::net::windows::named_pipe::NamedPipeServer;
use tokio::sync::Mutex;

use super::instance::{client, instance, is_crowded, AccessList};
use super::open::{check_owner, path, BUSY_PAUSE, READ_WRITE};
use super::stream::Stream;
use super::system;
use crate::net::sid::Sid;
use crate::net::transport::{
    EstablishedConnection, IncomingConnection, ListenOptions, Listener, Pending,
};
use crate::net::Process;

/// The number of looks at a name that somebody serves.
const DROP_TRIES: u32 = 10;

/// A listener, with the instance that nobody has connected to.
pub(in crate::net::transport) struct Bound {
    name: String,
    access: AccessList,
    /// There is none if it could not be made.
    next: Mutex<Option<NamedPipeServer>>,
}

impl Bound {
    /// Serves a pipe, unless another process does. A name stays as long as its connections, also where
    /// a server drains: nobody waits for clients then, and a server of the same user may take the name
    /// over.
    pub(in crate::net::transport) async fn new(
        name: &str,
        options: ListenOptions,
    ) -> io::Result<Self> {
        let access = AccessList::read(&list(&system::own_user()?, options))?;
        let mut tries = 0;
        let is_taken_over = loop {
            match is_crowded(&path(name)) {
                // The instance of a server that was dropped is there until its wait is cancelled.
                Err(_) if tries < DROP_TRIES => tries += 1,
                known => break known?,
            }
            tokio::time::sleep(BUSY_PAUSE).await;
        };
        let next = match instance(name, &access, true) {
            Err(refused) if is_taken_over && refused.kind() == io::ErrorKind::PermissionDenied => {
                instance(name, &access, false)?
            }
            made => made?,
        };
        check_owner(&next, false)?;
        let (name, next) = (name.to_owned(), Mutex::new(Some(next)));
        Ok(Self { name, access, next })
    }

    /// Waits for a client. The next instance is made before its own is given away, so that the name
    /// always has one.
    pub(in crate::net::transport) async fn next(&self) -> io::Result<(Stream, Option<Process>)> {
        let pipe = self.instance().await?;
        // One whose user is not known is let in where anybody is.
        let process = client(&pipe).ok();
        let process = process.map(|(id, user)| Process::of_windows(id, user));
        Ok((Stream::accepted(pipe), process))
    }

    async fn instance(&self) -> io::Result<NamedPipeServer> {
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

/// The access list: the own user alone, or also each user after a login. The right to make
/// instances is the own user's.
fn list(own: &Sid, options: ListenOptions) -> String {
    let others = if options.allow_other_users {
        std::format!("(A;;{READ_WRITE:#x};;;AU)")
    } else {
        String::new()
    };
    std::format!("O:{own}D:P(A;;GA;;;{own}){others}")
}

impl Listener for Bound {
    fn place(&self) -> io::Result<String> {
        Ok(self.name.clone())
    }

    fn accept(&self) -> Pending<'_, IncomingConnection> {
        Box::pin(async {
            let (stream, process) = self.next().await?;
            let stream = EstablishedConnection::new(stream).with_process(process);
            Ok(IncomingConnection::new(async { Ok(stream) }))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;

    use super::*;
    use crate::net::transport::pipe::Pipe;
    use crate::net::transport::Provider as _;

    /// [MXP-21.2]
    #[test]
    fn pipes_are_for_the_own_user_unless_others_are_let_in() {
        let own = system::own_user().unwrap();
        let mut options = ListenOptions::default();
        let alone = std::format!("O:{own}D:P(A;;GA;;;{own})");
        assert_eq!(list(&own, options), alone);
        options.allow_other_users = true;
        assert_eq!(list(&own, options), alone + "(A;;0x12019b;;;AU)");
    }

    /// [MXP-21.2]
    #[tokio::test]
    async fn an_instance_waits_before_a_connection_is_given() {
        let name = std::format!("mxp-waits-{}", std::process::id());
        let bound = Bound::new(&name, ListenOptions::default()).await.unwrap();
        for _ in 0..3 {
            // Nobody accepts meanwhile.
            let dialed = crate::net::transport::pipe::open::open(&name).unwrap();
            assert!(dialed.is_some());
            bound.next().await.unwrap();
        }
    }

    /// A name that another user serves is not for this program [MXP-21.3].
    #[tokio::test]
    async fn pipes_of_others_are_refused() {
        const NOBODY: &str = "S-1-5-21-1-2-3-1000";
        let name = std::format!("mxp-others-{}", std::process::id());
        let access = AccessList::read(&std::format!("O:{NOBODY}D:(A;;GA;;;WD)")).unwrap();
        let _pipe = match instance(&name, &access, true) {
            Err(refused) => {
                std::println!("skipped: this system lets nobody make pipes of others: {refused}");
                return;
            }
            made => made.unwrap(),
        };
        let refused = Pipe.dial(&name).await.unwrap_err();
        assert!(refused.to_string().contains(NOBODY), "{refused}");
        assert!(Bound::new(&name, ListenOptions::default()).await.is_err());
    }
}
