"""Who is who: bots, organisers and their tokens, enrolment codes."""
