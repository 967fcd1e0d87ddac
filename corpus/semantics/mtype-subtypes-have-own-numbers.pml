// A named mtype has numbers of its own.
//! rule 1.2
//! plain 7/0/7/0/6 ok
mtype = { x, y };
mtype:fruit = { apple, pear, plum };
mtype:fruit f = pear;
mtype:fruit none;
active proctype A() { assert(apple == 3 && pear == 2 && plum == 1); assert(f == pear && none == 0); f = plum; assert(f == 1); assert(x == 2) }
