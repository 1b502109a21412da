"""The compiled core: what is built of it, which core runs, and that both play alike."""
