// The same with an index, inside of an atomic sequence, where the receive is not the first statement.
//! rule 2.16
//! verdict assertions violated
//! verdict deadlock holds
chan c = [2] of { byte, byte };
byte a[2];
byte y;
active proctype P() {
  byte i = 2;
  c!1, 5;
  atomic { y = 1; c?eval(a[i]), y; assert(y == 5) }
}
