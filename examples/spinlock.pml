/* Two users take a lock again and again. Nobody says in which order they get it. */

bool locked;
bool wants[2];

active [2] proctype user()
{
	do
	:: wants[_pid] = true;
		atomic { !locked -> locked = true };
inside:		wants[_pid] = false;
		locked = false
	od
}

ltl exclusion { [] !(user[0]@inside && user[1]@inside) }
ltl asks { <> wants[0] }
ltl served { [] (wants[0] -> <> user[0]@inside) }
