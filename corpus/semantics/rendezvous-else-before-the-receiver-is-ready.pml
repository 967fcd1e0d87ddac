// The else can be taken as long as the receiver is still busy with its own variables, so merging those statements would lose an error.
//! rule 2.5
//! plain 14/3/17/0/7 errors
//! verdict assertions violated
//! verdict deadlock violated
chan c = [0] of { byte };
byte go;

active proctype p() {
  byte x;
  go = 1;
  x = 1;
  c?x
}

active proctype q() {
  (go == 1);
  if
  :: c!1
  :: else -> assert(false)
  fi
}
