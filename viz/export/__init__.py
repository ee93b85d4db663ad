"""What is taken away: pages, pictures, numbers, and the code that makes them."""
