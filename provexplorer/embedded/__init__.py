"""Real servers when no URL is set: graph, broker, and the supervisor that runs them with the site."""
