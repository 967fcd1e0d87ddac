/* A client and a server that agree: everything holds. */
mtype = { ask, answer };

chan request = [0] of { mtype, byte };
chan reply = [1] of { mtype, byte };

active proctype client()
{
    byte number = 3;

    request!ask(number);
    reply?answer(number);
    printf("the answer is %d\n", number);
    assert(number == 4)
}

active proctype server()
{
    byte number;

    request?ask(number);
    reply!answer(number + 1)
}
