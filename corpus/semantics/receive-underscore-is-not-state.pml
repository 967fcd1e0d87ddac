// Values that go to the underscore do not distinguish states.
//! rule 1.3
//! plain 6/1/7/0/4 ok
chan q = [1] of { byte };
active proctype A() { if :: q!1 :: q!2 fi; q?_; skip }
