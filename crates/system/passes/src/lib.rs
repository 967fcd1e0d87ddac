//! System-to-system rewriting: what an engine may assume or forget, decided once, before the search.
#![forbid(unsafe_code)]
