"""One call on its way: who calls, how its request is read, how its answer and its errors are sent."""
