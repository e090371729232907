"""What has become of answers since they were given: kept with the change, listed by a cursor, told outside."""
