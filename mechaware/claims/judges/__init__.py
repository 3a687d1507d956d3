"""Language models as judges: any provider, any OpenAI-compatible server, and the embedded one."""
