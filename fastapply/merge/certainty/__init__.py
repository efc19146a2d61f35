"""How certain a merge is: facts about candidates, one score, and what to say about it."""
