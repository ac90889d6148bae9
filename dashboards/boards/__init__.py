"""The project's Grafana dashboards, one module each, and the helpers that they share."""
