//! Views as generated code has them.

use core::fmt;

use sdp::view::{self, EndsInList, List, Shape};
use sdp::wire;

/// `struct Port { name: @len(u8) str, level: u8 }`
#[derive(Clone, Copy)]
pub(crate) struct PortView<'a> {
    at_name: &'a [u8],
    run: &'a [u8; 1],
}

impl<'a> PortView<'a> {
    pub(crate) fn name(&self) -> &'a str {
        wire::known_text(self.at_name)
    }

    pub(crate) fn level(&self) -> u8 {
        self.run[0]
    }
}

impl fmt::Debug for PortView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name(), self.level())
    }
}

impl Shape for PortView<'_> {
    type Item<'a> = PortView<'a>;

    fn step<'a>(s: &mut &'a [u8]) -> PortView<'a> {
        let at_name = wire::known_bytes::<1>(s);
        let run = wire::known_run::<1>(s);
        PortView { at_name, run }
    }
}

/// `struct Plugin { name: @len(u8) str, ports: @len(u8) []Port }`
#[derive(Clone, Copy)]
pub(crate) struct PluginView<'a> {
    at_name: &'a [u8],
    at_ports: &'a [u8],
}

impl<'a> PluginView<'a> {
    pub(crate) fn name(&self) -> &'a str {
        wire::known_text(self.at_name)
    }

    pub(crate) fn ports(&self) -> List<'a, PortView<'a>> {
        wire::read::<view::ListOf<1, PortView<'_>>>(self.at_ports)
    }
}

impl fmt::Debug for PluginView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.name(), self.ports())
    }
}

impl Shape for PluginView<'_> {
    type Item<'a> = PluginView<'a>;
    const HAS_TAIL: bool = true;

    fn step<'a>(s: &mut &'a [u8]) -> PluginView<'a> {
        let at_name = wire::known_bytes::<1>(s);
        let at_ports = *s;
        PluginView { at_name, at_ports }
    }

    fn finish(s: &mut &[u8]) {
        wire::skip::<view::ListOf<1, PortView<'_>>>(s);
    }
}

impl<'a> EndsInList for PluginView<'a> {
    type Last = PortView<'a>;
}

/// Three plugins with two, no and three ports, and a byte behind them.
pub(crate) const PLUGINS: &[u8] = b"\x03\
    \x02EQ\x02\x01a\x07\x00\x08\
    \x00\x00\
    \x04Echo\x03\x01x\x01\x02yy\x02\x03zzz\x03\
    \xee";

pub(crate) fn plugins(bytes: &[u8]) -> List<'_, PluginView<'_>> {
    wire::read::<view::ListOf<1, PluginView<'_>>>(bytes)
}
