// The number of a new process may be assigned to `_`, which forgets it.
//! rule 2.7
//! plain 7/0/7/0/6 ok
byte z;
proctype K() { z++ }
init {
  _ = run K();
  (_nr_pr == 1);
  assert(z == 1)
}
