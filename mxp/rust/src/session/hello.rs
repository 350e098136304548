//! The first frames of each side [MXP-6].

use crate::frame::{Checksum, Header, Type, PAYLOAD_BYTES};
use crate::session::handle::{HandleResult, News};
use crate::session::mxp_control::{HelloRef, HelloView, LayoutsView, ServiceRef, TypeRef};
use crate::session::queue::Class;
use crate::session::state::Phase;
use crate::session::{Kind, Session, Value};

/// The bit of an offer that trailers may be 0 [MXP-6.7].
const OFFER_NO_CHECKSUM: u32 = 1;

/// The bit of an offer to take batches [MXP-17.2].
const OFFER_BATCHES: u32 = 2;

/// The version of the protocol.
const VERSION: u16 = 1;

/// How many services have numbers.
const SERVICES_MAX: usize = 1 << 16;

/// The bytes that a text of the peer's Hello counts as beside its own [MXP-15.1].
const TEXT_BYTES: usize = 32;

impl Session {
    /// Sends Hello [MXP-6.1].
    pub(super) fn greet(&mut self, now: u64) -> Result<(), Kind> {
        let config = core::mem::take(&mut self.config);
        let services = config.services.iter();
        let services = services.map(|name| ServiceRef::new().with_name(name));
        let types = config.types.iter().map(|info| {
            TypeRef::new()
                .with_name(&info.name)
                .with_fingerprints(info.fingerprints.as_slice().into())
                .with_layout(info.layout_hash())
        });
        let mut offers = 0;
        if config.offers_no_checksum {
            offers |= OFFER_NO_CHECKSUM;
        }
        if config.offers_batches {
            offers |= OFFER_BATCHES;
        }
        let payload_bytes = config.limits.payload_bytes.min(PAYLOAD_BYTES);
        let hello = HelloRef::new()
            .with_version(VERSION)
            .with_payload_bytes(u32::try_from(payload_bytes).unwrap_or(u32::MAX))
            .with_offers(offers)
            .with_services(services.collect())
            .with_types(types.collect());
        let draft = self.draft(Type::Hello, &Value::default(), |output| {
            hello.append(output)
        })?;
        self.commit(
            draft,
            Header::new(Type::Hello),
            Value::default(),
            Class::Plain,
            now,
        );
        self.config = config;
        Ok(())
    }

    pub(super) fn take_hello(&mut self, payload: &[u8], now: u64) -> HandleResult {
        if let Phase::Comparing(_) = self.phase {
            self.meet(LayoutsView::new(payload)?)?;
            self.leave(now);
            return Ok(None);
        }
        let hello = HelloView::new(payload)?;
        if hello.version() < VERSION {
            return Err(Kind::Version.into());
        }
        let peer_bytes = usize::try_from(hello.payload_bytes());
        self.peer_bytes = self.peer_bytes.min(peer_bytes.unwrap_or(usize::MAX));
        let services = hello.services().take(SERVICES_MAX);
        let texts = services.map(|service| service.name().len() + TEXT_BYTES);
        self.texts = texts.sum();
        if self.config.offers_no_checksum {
            self.reader.uncheck();
            if hello.offers() & OFFER_NO_CHECKSUM != 0 {
                self.checksum = Checksum::Off;
            }
        }
        self.batches = self.config.offers_batches && hello.offers() & OFFER_BATCHES != 0;
        let incompatible = self.compare(hello);
        if incompatible.is_empty() {
            self.phase = Phase::Ready;
            self.leave(now);
            return Ok(Some(News::Ready));
        }
        self.send_layouts(incompatible, payload, now);
        Ok(None)
    }

    /// Sends the Drain that was to be sent when the session is ready.
    fn leave(&mut self, now: u64) {
        if let Some((reason, _)) = self.leaving.take() {
            self.farewell(&reason, now);
        }
    }
}
