"""What is printed for a parcel: the packing slip that goes into it, and its address label."""
