"""Commands that speak the protocol of the UECda contest."""
