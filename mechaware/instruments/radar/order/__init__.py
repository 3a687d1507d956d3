"""Does a model prefer the order in which a benchmark was published?

It needs an order without meaning (`meaning`), and no control. The order is that of the items, read as one text in
shards (`sharding`), or of the options of each item (`options`). `measuring` has the log-likelihoods, and `decision` the
test.
"""
