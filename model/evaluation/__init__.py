"""How good translations are: BLEU and chrF over a corpus, numbers and names kept."""
