"""Addresses outside that are told what happens: chosen by event, signed, tried again, replayed."""
