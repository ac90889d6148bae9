"""The project's Grafana dashboards, one module each, and the few words that they are written in."""
