"""BertViz's own drawings, in a document that can fetch nothing."""
