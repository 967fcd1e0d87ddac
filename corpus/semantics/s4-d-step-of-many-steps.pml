// A d_step of 2,400,002 steps, found as S4: it is long, and comes to its end.
//! rule 2.4
//! plain 4/0/4/0/3 ok
active proctype A() {
  int x;
  d_step { do :: x < 1200000 -> x++ :: else -> break od };
  assert(x == 1200000)
}
