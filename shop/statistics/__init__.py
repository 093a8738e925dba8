"""The shop's own statistics, without cookies: how many visits, from where, to which pages, and how fast pages are.

A browser reports what it shows in beacons. They are counted in memory and written once a second. Within a day, visits
are distinguished by a hash that nothing can be read from and whose salt is thrown away at night; what stays are sums.
"""
