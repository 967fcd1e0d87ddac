// The receiver of a rendezvous is at fault: what it compares with the message cannot be evaluated.
//! rule 2.16
//! differs pan dies with SIGFPE
//! verdict assertions violated
//! verdict deadlock holds
chan c = [0] of { byte, byte };
byte x, y;
active proctype P() { c!1, 5 }
active proctype Q() { c?eval(10 / x), y }
