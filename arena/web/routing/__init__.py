"""The layer around the app of a referee that shares its database: requests go to the homes of the
sessions that they are about."""
