// L10: the length of an array is needed before anything runs. (From a public model.)
//! rule 10
//! error 6
//! error 7
int n;
byte g[n];
active proctype A() { byte k; byte t[k]; assert(t[2] == 0 && g[0] == 0) }
