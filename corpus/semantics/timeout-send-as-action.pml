// Retransmission by timeout.
//! rule 2.6
//! plain 16/3/19/0/12 ok
chan q = [1] of { bit };
byte n;
active proctype S() { do :: n < 2 && timeout -> q!1; n++ :: n == 2 -> break od }
active proctype R() { bit b; do :: q?b :: timeout && n == 2 -> break od }
