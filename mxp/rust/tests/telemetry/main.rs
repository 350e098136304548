//! The spans and times of requests that OpenTelemetry's SDK exports.

mod cases;
mod demo;
mod exported;
mod traces;
