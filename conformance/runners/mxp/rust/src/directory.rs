//! Answers lines about a directory.

use mxp::session::{Agent, Directory, Kind, Lease};

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
                let registration = words.registration()?;
                return Ok(leased(self.directory.enter(owner, registration, now)));
            }
            "heartbeat" => {
                let name = words.text("name")?;
                return Ok(leased(self.directory.renew(owner, &name, now)));
            }
            "release" => self.directory.release(owner),
            "discover" => {
                let agents = self.directory.find(&words.query()?, now).agents;
                let count = format!("directory\tresult=ok\tlines={}", agents.len());
                let lines = agents.iter().map(spelled);
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

fn leased(lease: Result<Lease, Kind>) -> String {
    match lease {
        Ok(Lease { lease, epoch, .. }) => {
            format!("directory\tresult=ok\tlease={lease}\tepoch={epoch}\tlines=0")
        }
        Err(kind) => format!("directory\tresult=refused\terror={kind}\tlines=0"),
    }
}

fn spelled(agent: &Agent) -> String {
    let texts = |all: &[String]| listed(all.iter().map(|text| &text[..]));
    format!(
        "agent\tname={}\tcapabilities={}\tlease={}\taddresses={}\tservices={}\tepoch={}",
        digits(agent.name.as_bytes()),
        texts(&agent.capabilities),
        agent.lease,
        texts(&agent.addresses),
        texts(&agent.services),
        agent.epoch
    )
}
