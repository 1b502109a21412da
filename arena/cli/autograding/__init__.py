"""`arena autograder`: bundles that grade a submitted bot against benchmark bots."""
