"""What is expected of data that nobody knows: which way branches go, where counters and queues end."""
