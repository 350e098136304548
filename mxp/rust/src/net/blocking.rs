//! A client for threads without a runtime.
