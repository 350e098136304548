//! The path: operations that a real-time thread may run.

use crate::audio::{Block, BlockRef, BlockView, Frame, Plugin, PluginView, Transport};
use crate::state::State;

// Numbers made of all that was read, so that a compiler leaves none of it out.

fn mixed(a: u64, b: u64) -> u64 {
    (a ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn text(text: &str) -> u64 {
    let last = text.as_bytes().last().copied().unwrap_or(1);
    mixed(text.len() as u64, u64::from(last))
}

fn sum(numbers: impl IntoIterator<Item = f32>) -> u64 {
    u64::from(numbers.into_iter().fold(1.0, |all, n| all + n).to_bits())
}

/// A number of encoded bytes: of their end, since nothing lies behind them.
fn end_of(out: &[u8], n: usize) -> u64 {
    let last = n.checked_sub(1).and_then(|at| out.get(at));
    mixed(n as u64, u64::from(last.copied().unwrap_or(1)))
}

/// Where a refusal ends: behind it nothing is promised.
#[cold]
#[inline(never)]
fn refused(refusal: sdp::Error) -> u64 {
    drop(refusal);
    0
}

#[inline(always)]
fn encode_transport(s: &mut State) -> u64 {
    let out = s.written.at(s.level);
    match s.transport.encode_to_slice(out) {
        Ok(n) => end_of(out, n),
        Err(refusal) => refused(refusal),
    }
}

#[inline(always)]
fn decode_transport(s: &mut State) -> u64 {
    match Transport::decode_with(s.encoded_transport.at(s.level), &s.options) {
        Ok(value) => mixed(
            value.sample + u64::from(value.signature[1]),
            value.tempo.to_bits(),
        ),
        Err(refusal) => refused(refusal),
    }
}

#[inline(always)]
fn encode_block(s: &mut State) -> u64 {
    let out = s.written.at(s.level);
    match s.block.message_to_slice(out) {
        Ok(n) => end_of(out, n),
        Err(refusal) => refused(refusal),
    }
}

#[inline(always)]
fn view_block(s: &mut State) -> u64 {
    match BlockView::from_message_with(s.block_message.at(s.level), &s.options) {
        Ok(view) => mixed(
            view.sequence() + u64::from(view.channel()),
            sum(view.samples()),
        ),
        Err(refusal) => refused(refusal),
    }
}

#[inline(always)]
fn borrow_block(s: &mut State) -> u64 {
    match BlockRef::decode_message_with(s.block_message.at(s.level), &s.options) {
        Ok(block) => mixed(
            block.sequence + u64::from(block.channel),
            sum(block.samples.iter().copied()),
        ),
        Err(refusal) => refused(refusal),
    }
}

#[inline(always)]
fn decode_into_block(s: &mut State) -> u64 {
    let kept: &mut Block = &mut s.kept_block;
    // A message is its header and what byte mode has.
    let encoding = s.block_message.at(s.level).get(sdp::HEADER_BYTES..);
    match kept.decode_into_with(encoding.unwrap_or_default(), &s.options) {
        Ok(()) => mixed(
            kept.sequence + u64::from(kept.channel),
            sum(kept.samples.iter().copied()),
        ),
        Err(refusal) => refused(refusal),
    }
}

#[inline(always)]
fn encode_plugin(s: &mut State) -> u64 {
    let out = s.written.at(s.level);
    let size = s.plugin.encoded_size() as u64;
    match s.plugin.encode_to_slice(out) {
        Ok(n) => mixed(end_of(out, n), size),
        Err(refusal) => refused(refusal),
    }
}

#[inline(always)]
fn view_plugin(s: &mut State) -> u64 {
    let plugin = match PluginView::with(s.encoded_plugin.at(s.level), &s.options) {
        Ok(plugin) => plugin,
        Err(refusal) => return refused(refusal),
    };
    let mut all = text(plugin.name());
    for parameter in plugin.parameters() {
        all = mixed(all, u64::from(parameter.id()) + text(parameter.name()));
        all = mixed(all, sum(parameter.range()));
        all = parameter.unit().map_or(all, |unit| mixed(all, text(unit)));
    }
    for change in plugin.changes() {
        let number = u64::from(change.parameter) + u64::from(change.frame);
        all = mixed(all, number + u64::from(change.value.to_bits()));
    }
    plugin
        .preset()
        .map_or(all, |preset| mixed(all, u64::from(preset.id())))
}

#[inline(always)]
fn decode_into_plugin(s: &mut State) -> u64 {
    let kept: &mut Plugin = &mut s.kept_plugin;
    if let Err(refusal) = kept.decode_into_with(s.encoded_plugin.at(s.level), &s.options) {
        return refused(refusal);
    }
    let mut all = text(&kept.name);
    for parameter in &kept.parameters {
        all = mixed(all, u64::from(parameter.id) + text(&parameter.name));
        all = mixed(all, sum(parameter.range));
        all = parameter
            .unit
            .as_ref()
            .map_or(all, |unit| mixed(all, text(unit)));
    }
    for change in &kept.changes {
        let number = u64::from(change.parameter) + u64::from(change.frame);
        all = mixed(all, number + u64::from(change.value.to_bits()));
    }
    kept.preset
        .as_ref()
        .map_or(all, |preset| mixed(all, u64::from(preset.id)))
}

fn frame(frame: &Frame) -> u64 {
    sum(frame.samples)
}

#[inline(always)]
fn channel_send(s: &mut State) -> u64 {
    let sent = s.channels.sent.sender.send(&s.frame);
    u64::from(sent.is_ok())
}

#[inline(always)]
fn channel_receive(s: &mut State) -> u64 {
    match s.channels.received.receiver.receive() {
        Ok(Some(received)) => frame(&received),
        _ => 0,
    }
}

#[inline(always)]
fn channel_latest(s: &mut State) -> u64 {
    let channel = &mut s.channels.latest;
    if channel.sender.send(&s.frame).is_err() {
        return 0;
    }
    match channel.receiver.receive() {
        Ok(Some(newest)) => frame(&newest),
        _ => 0,
    }
}

/// Makes functions that C can call of a module's functions, and a list of them.
macro_rules! operations {
    ($list:ident, $($symbol:ident = $name:literal $function:path,)*) => {
        $(
            #[no_mangle]
            #[cfg_attr(realtime_sanitizer, sanitize(realtime = "nonblocking"))]
            extern "C" fn $symbol(state: *mut std::ffi::c_void) -> u64 {
                // SAFETY: the state is that of `realtime_prepare`, in one thread.
                $function(unsafe { $crate::state::of(state) })
            }
        )*

        pub static $list: &[$crate::state::Operation] = &[
            $($crate::state::Operation { name: $name.as_ptr(), run: Some($symbol) },)*
            $crate::state::END,
        ];
    };
}
pub(crate) use operations;

operations! { OPERATIONS,
    path_encode_transport = c"encode_transport" encode_transport,
    path_decode_transport = c"decode_transport" decode_transport,
    path_encode_block = c"encode_block" encode_block,
    path_view_block = c"view_block" view_block,
    path_borrow_block = c"borrow_block" borrow_block,
    path_decode_into_block = c"decode_into_block" decode_into_block,
    path_encode_plugin = c"encode_plugin" encode_plugin,
    path_view_plugin = c"view_plugin" view_plugin,
    path_decode_into_plugin = c"decode_into_plugin" decode_into_plugin,
    path_channel_send = c"channel_send" channel_send,
    path_channel_receive = c"channel_receive" channel_receive,
    path_channel_latest = c"channel_latest" channel_latest,
}
