"""Other products that take the same traces, each installed in a virtual environment of its own."""
