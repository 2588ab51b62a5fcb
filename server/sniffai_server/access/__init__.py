"""Who may connect and call: TLS, API keys, quotas."""
