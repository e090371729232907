-- Data keys live in a database of their own, so that they can be backed up apart.
CREATE DATABASE keys;
