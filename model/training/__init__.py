"""Making a checkpoint: vocabularies, batches, schedule, loss, loop."""
