// A receive that is at fault is not skipped for the else beside it.
//! rule 2.16
//! differs pan dies with SIGFPE
//! verdict assertions violated
chan c = [1] of { byte };
byte x, y;
active proctype A() {
  c!1;
  if :: c?eval(10 / x) -> y = 1 :: else -> y = 2 fi
}
