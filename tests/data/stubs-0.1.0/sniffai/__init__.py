"""The stubs of version 0.1.0, as an old client has them; tests/server/test_old_clients.py runs them."""
