"""The Transformer itself (Vaswani et al. 2017, pre-norm): attention, layers, positions, masks."""
