// R1: Spin reads such a value and does nothing with it; the fields keep their own. (From a public model of GIOP.)
//! warning 8
//! warning 9
//! warning 10
//! warning 11
//! warning 12
typedef T { byte a = 3; byte b }
T g = 7;
T h[2] = { 1, 2 };
typedef U { T t = 4 }
active proctype A() { T t[3] = 7;
  T one = 8; U u;
  assert(t[0].a == 3 && t[2].b == 0 && one.a == 3 && g.a == 3 && h[1].b == 0 && u.t.a == 3)
}
