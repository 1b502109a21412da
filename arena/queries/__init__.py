"""What is read: documents, visibility, standings, record files. Queries change nothing."""
