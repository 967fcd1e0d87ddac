// What a receive compares with the message is evaluated when it is looked whether it matches. If that is at fault, so is the receive.
//! rule 2.16
//! differs pan dies with SIGFPE
//! verdict assertions violated
//! verdict deadlock holds
chan c = [2] of { byte, byte };
byte x, y;
active proctype P() {
  c!1, 5;
  c?eval(10 / x), y
}
