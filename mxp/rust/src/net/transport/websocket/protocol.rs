//! Names and sizes that both sides of a WebSocket have.

use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// The subprotocol of connections of MXP [MXP-19.2].
pub(super) const PROTOCOL: &str = "mxp.1";

/// The beginning of the subprotocol that is a token [MXP-19.5].
pub(super) const TOKEN_PREFIX: &str = "mxp.token.";

/// The size of one message, written or read.
pub(super) const MESSAGE_BYTES: usize = 16 << 10;

/// The memory that the library takes for a connection: what it reads at once, messages that
/// `Cut` has made short, and one that waits to be written, with an answer beside it.
pub(super) fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .read_buffer_size(MESSAGE_BYTES / 2)
        .write_buffer_size(0)
        .max_write_buffer_size(2 * MESSAGE_BYTES)
        .max_message_size(Some(MESSAGE_BYTES))
        .max_frame_size(Some(MESSAGE_BYTES))
}
