// S2: a hidden variable that only claims and a trace read.
//! verdict seen violated
//! verdict later violated
//! verdict never_9 holds
//! verdict trace violated
hidden byte h;
chan q = [1] of { byte };
active proctype A() { h = 1; h = 2; q!h }
never seen { do :: h == 2 -> break :: else od }
never later { do :: true :: h == 1 -> break od; h == 2 }
never never_9 { do :: h == 9 -> break :: else od }
trace { q!1 }
