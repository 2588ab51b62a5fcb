"""TLS, API keys and quotas."""
