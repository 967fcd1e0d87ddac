// With lossy channels a send to a full channel succeeds and the message is dropped.
//! rule 2.12
//! spin -m
//! options --full-channel lose
//! plain 6/0/6/0/5 ok
chan q = [1] of { byte };
byte n;
active proctype A() { q!1; n++; q!2; n++ }
