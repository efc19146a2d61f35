"""How certain a merge is: features of candidates, one score, and what to say about it."""
