"""Sources watched: fetched safely, compared with what was cited, recorded as evidence."""
