/* Two processes that are meant never to be critical at the same time: each looks first and enters then. */
byte critical;
bool busy;

active [2] proctype user()
{
    byte rounds;

    do
    :: rounds < 2 ->
        !busy;
        busy = true;
        critical++;
        assert(critical == 1);
        critical--;
        busy = false;
        rounds++
    :: rounds == 2 -> break
    od
}
