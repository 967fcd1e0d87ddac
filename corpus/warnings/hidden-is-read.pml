// A hidden variable that something reads stays in the states, and that is said. What is printed or counted is not read.
//! warning 4
//! warning 7
hidden byte read;
hidden byte printed;
hidden byte counted;
hidden byte asked;
hidden byte unused;
hidden byte stored[2];
active proctype A() {
  byte i;
  chan q = [1] of { byte };
  read = 1; printed = 2; counted++; asked = 3;
  q!1; q?stored[i];
  if :: read == 1 -> printf("%d", printed) :: else -> i = 1 fi
}
ltl p { <> (asked == 3) }
