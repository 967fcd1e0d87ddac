// With lossy channels full still tells the truth.
//! rule 2.12
//! spin -m
//! options --full-channel lose
//! plain 8/0/8/0/7 ok
chan q = [1] of { byte };
active proctype A() { q!1; full(q); q!2; full(q); q?1; empty(q) }
