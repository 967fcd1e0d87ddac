// Paths of an atomic sequence that join again and again, found as S1: Spin follows and counts all of them.
//! rule 2.2
//! plain 18/1719/1737/5025/16 errors
//! verdict deadlock violated
byte x, y;
active proctype A() {
  atomic {
    if :: x = 1 :: x = 1 :: x = 2 fi;
    if :: y = y + x :: y = y + 1 fi;
    if :: x = 0 :: skip fi;
    if :: x = 1 :: x = 1 :: x = 2 fi;
    if :: y = y + x :: y = y + 1 fi;
    if :: x = 0 :: skip :: x > 5 fi;
    if :: x = 1 :: x = 1 :: x = 2 fi;
    if :: y = y + x :: y = y + 1 fi;
    if :: x = 0; skip; skip :: skip fi
  }
}
active proctype B() { y == 3; x = 7 }
