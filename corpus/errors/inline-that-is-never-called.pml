// Bodies of inlines are read where they are written, also if no call would show the mistakes. Spin does not look at them.
//! error 4
//! error 6
inline bad(x) { x = ; }
inline unfinished(q) {
  if :: q!1 -> + 2 fi
}
active proctype A() { skip }
