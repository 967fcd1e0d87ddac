/* Two processes that wait for each other. */
chan left = [1] of { byte };
chan right = [1] of { byte };

active proctype one()
{
    left?1;
    right!1
}

active proctype two()
{
    right?1;
    left!1
}
