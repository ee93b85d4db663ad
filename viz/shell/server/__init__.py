"""What the app's web server adds to Streamlit's: what a browser may do with its pages, and old addresses."""
