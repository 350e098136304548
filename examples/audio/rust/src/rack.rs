//! The plug-in's process: it is started, let in, watched, and started again when it is gone.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use mxp::net::channel::Watcher;
use mxp::net::{Peer, Server, ServerHandle};
use tokio::runtime::{Builder, Runtime};

use crate::audio_service::HostClient;
use crate::callback::Desk;
use crate::{channel_options, Error, Link};

/// The least time until a plug-in is started again, so that one that ends at once does not keep the
/// machine busy.
const AGAIN: Duration = Duration::from_millis(100);
/// The time that a plug-in has to end by itself.
const END: Duration = Duration::from_secs(1);

/// A place for one plug-in. Its functions may wait, and are not for the callback.
pub struct Rack {
    program: PathBuf,
    listening: Option<ServerHandle>,
    opened: Receiver<(Link, Peer)>,
    child: Child,
    started: Instant,
    watcher: Option<Watcher>,
    /// How many processes were started.
    pub starts: u32,
    _runtime: Runtime,
}

impl Rack {
    /// Serves the channel at a socket, and starts a program that opens it, told `plugin ADDRESS`.
    ///
    /// # Errors
    ///
    /// Why the socket is not listened to, or the program not started.
    pub fn new(program: PathBuf, socket: &Path) -> Result<Self, Error> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let (sender, opened) = mpsc::channel();
        let server =
            Server::new().channel(&HostClient::PLUG, &channel_options(), move |link, peer| {
                let _ = sender.send((link, peer)); // a host that ends takes none
            });
        let address = format!("mxp+shm://{}", socket.display());
        let listening = runtime.block_on(server.listen(&address))?;
        let child = start(&program, &listening)?;
        Ok(Self {
            program,
            listening: Some(listening),
            opened,
            child,
            started: Instant::now(),
            watcher: None,
            starts: 1,
            _runtime: runtime,
        })
    }

    /// The number of the plug-in's process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Does what there is to do: it is to be called some hundred times a second. Returns what has
    /// happened, for people.
    ///
    /// # Errors
    ///
    /// Why the plug-in can't be started again.
    pub fn tend(&mut self, desk: &mut Desk) -> io::Result<Option<String>> {
        // A plug-in that was killed has said nothing in memory, so that the system has to be asked.
        // From then on the callback's ends know.
        let is_there = self.watcher.as_ref().map(Watcher::is_connected);
        if let Some(link) = desk.unplugged() {
            let why = link.sender.closed();
            drop(link); // here, and not in the callback: it unmaps memory
            self.watcher = None;
            // It has no other channel: what is left of it is of no use.
            let _ = self.child.kill();
            let why = why.map_or_else(|| "the channel is over".into(), |why| why.to_string());
            return Ok(Some(format!("plug-in {} is out: {why}", self.process())));
        }
        if let Ok((link, peer)) = self.opened.try_recv() {
            return Ok(self.plug(link, &peer, desk));
        }
        let is_plugged = is_there.is_some();
        if !is_plugged && self.started.elapsed() >= AGAIN && self.child.try_wait()?.is_some() {
            let Some(listening) = &self.listening else {
                return Ok(None);
            };
            self.child = start(&self.program, listening)?;
            self.started = Instant::now();
            self.starts += 1;
        }
        Ok(None)
    }

    /// Has the callback use a channel, if it is that of the process that was started.
    fn plug(&mut self, link: Link, peer: &Peer, desk: &mut Desk) -> Option<String> {
        let from = peer.process.and_then(|process| process.id);
        if from.and_then(|id| u32::try_from(id).ok()) != Some(self.process())
            || self.watcher.is_some()
        {
            return Some("somebody else has opened the channel, and is refused".into());
        }
        let watcher = link.watcher();
        if !desk.plug(link) {
            return None; // it ends, and is started again
        }
        self.watcher = Some(watcher);
        Some(format!("plug-in {} is in", self.process()))
    }
}

fn start(program: &Path, listening: &ServerHandle) -> io::Result<Child> {
    Command::new(program)
        .args(["plugin", &listening.address().to_string()])
        .stdin(Stdio::null())
        .spawn()
}

impl Drop for Rack {
    /// Has the plug-in end, by the channel's end or else by force.
    fn drop(&mut self) {
        if let Some(watcher) = &self.watcher {
            watcher.close();
        }
        self.listening = None;
        let late = Instant::now() + END;
        while Instant::now() < late {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
