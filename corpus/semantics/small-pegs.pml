// Three disks moved between three pegs by loose rules.
//! rule 3.2
//! plain 285/334/619/0/84 ok
byte p[3];
active proctype P()
{
	byte to;
	do
	:: select (to : 0 .. 2); p[0] = to
	:: select (to : 0 .. 2); if :: p[0] != p[1] && p[0] != to -> p[1] = to :: else fi
	:: p[0] == p[1] && p[0] != p[2] -> to = 3 - p[0] - p[2]; p[2] = to
	od
}
