// A request that is never granted, because a loop goes round without it.
//! verdict p violated
//! verdict q holds
//! weak p violated
//! weak q holds
mtype = { idle, request, granted };
mtype s = idle;
active proctype A() {
  do
  :: s == idle -> s = request
  :: s == request -> s = granted
  :: s == request -> s = idle
  :: s == granted -> s = idle
  od
}
ltl p { [] (s == request -> <> (s == granted)) }
ltl q { [] (s == request -> <> (s != request)) }
