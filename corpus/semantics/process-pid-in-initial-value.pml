// A prefix initial value may use _pid.
//! rule 1.2
//! plain 7/2/9/0/4 ok
byte s;
active [2] proctype P() { byte me = _pid * 2; s = s + me }
