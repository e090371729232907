"""Real servers for the tests: graph, relational, and the whole product as a black box."""
