"""Two of anything beside each other: sentences, models, moments of training."""
