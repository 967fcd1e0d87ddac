// A receiver whose escape is executable still may take part in a rendezvous started by the sender.
//! rule 2.7
//! plain 9/0/9/0/6 ok
chan c = [0] of { byte };
byte x;
active proctype S() { end: c!1 }
active proctype R() { byte v; { c?v; x = 1 } unless { x == 0 -> x = 2 } }
