"""What is printed for a parcel: the delivery note that goes into it, and its address label."""
