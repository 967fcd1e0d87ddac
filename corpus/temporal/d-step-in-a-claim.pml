// S6: a `d_step` of a claim is one observation: its conditions are about the same state.
//! verdict comes violated
//! verdict passes holds
//! verdict two_states holds
//! verdict first violated
//! verdict fails violated
//! verdict blocked violated
//! verdict waits holds
byte x;
active proctype A() { x = 1 }
never comes { do :: d_step { x == 1 -> skip }; break :: else od }
never passes { d_step { skip; skip }; x == 0 }
never two_states { d_step { x == 0 -> skip; if :: x == 1 -> skip :: else -> skip fi }; x == 0 }
never first { d_step { x == 0; if :: true -> skip :: goto N fi; skip; N: skip }; x == 1 }
never fails { skip; d_step { assert(x == 0) } }
never blocked { do :: d_step { x == 0 -> x == 1 -> skip }; break :: else od }
never waits { d_step { if :: x == 1 -> skip fi; assert(x == 0) } }
