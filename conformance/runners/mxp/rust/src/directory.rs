//! Answers lines about a directory.

use mxp::session::{Directory, Kind};

use crate::words::{digits, listed, Words, Wrong};

/// The directory that lines are about.
#[derive(Default)]
pub struct Held {
    directory: Directory,
    now: u64,
}

impl Held {
    pub fn answer(&mut self, line: &str) -> Result<String, Wrong> {
        let mut words = line.split_whitespace().skip(1);
        let verb = words.next().unwrap_or_default();
        let words = Words::parse(words)?;
        self.now = words.number("now")?.unwrap_or(self.now);
        let owner = words.number("owner")?.unwrap_or(0);
        let now = self.now;
        match verb {
            "new" => self.directory = new(&words)?,
            "register" => {
                let capabilities = words.texts("capabilities")?;
                let capabilities = capabilities.iter().map(|c| &c[..]);
                let (name, lease) = (words.text("name")?, words.must("lease")?);
                let lease = self
                    .directory
                    .register(owner, &name, capabilities, lease, now);
                return Ok(leased(lease));
            }
            "heartbeat" => {
                let name = words.text("name")?;
                return Ok(leased(self.directory.heartbeat(owner, &name, now)));
            }
            "release" => self.directory.release(owner),
            "discover" => {
                let agents = self.directory.discover(&words.text("capability")?, now);
                let count = format!("directory\tresult=ok\tlines={}", agents.len());
                let lines = agents.iter().map(|agent| {
                    let name = digits(agent.name.as_bytes());
                    let capabilities = listed(agent.capabilities.iter().map(|c| &c[..]));
                    let lease = agent.lease;
                    format!("agent\tname={name}\tcapabilities={capabilities}\tlease={lease}")
                });
                let lines: Vec<_> = [count].into_iter().chain(lines).collect();
                return Ok(lines.join("\n"));
            }
            "timeout" => {
                let at = self.directory.next_timeout();
                let at = at.map_or("-".into(), |at| at.to_string());
                return Ok(format!("directory\tresult=ok\ttimeout={at}\tlines=0"));
            }
            verb => return Err(format!("a directory does not {verb:?}")),
        }
        Ok("directory\tresult=ok\tlines=0".into())
    }
}

fn new(words: &Words<'_>) -> Result<Directory, Wrong> {
    use mxp::session::{AGENTS, AGENT_CAPABILITIES, LEASE_MAX_US, LEASE_MIN_US};
    let agents = words.number("agents")?.unwrap_or(AGENTS);
    let capabilities = words.number("agent_capabilities")?;
    let min = words.number("lease_min_us")?.unwrap_or(LEASE_MIN_US);
    let max = words.number("lease_max_us")?.unwrap_or(LEASE_MAX_US);
    Ok(Directory::new()
        .with_limits(agents, capabilities.unwrap_or(AGENT_CAPABILITIES))
        .with_leases(min, max))
}

fn leased(lease: Result<u64, Kind>) -> String {
    match lease {
        Ok(lease) => format!("directory\tresult=ok\tlease={lease}\tlines=0"),
        Err(kind) => format!("directory\tresult=refused\terror={kind}\tlines=0"),
    }
}
