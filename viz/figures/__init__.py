"""Pure functions: numpy arrays and labels in, Plotly figure or HTML string out."""
