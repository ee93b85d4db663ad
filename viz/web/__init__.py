"""All that is drawn in a browser by scripts: typed ES modules and their bundles, and what Python sends the viewer."""
