#!/bin/sh
# Starts the validator once its execution client listens for the Engine API: Emerald exits if no client answers.
# Runs in the user's image, so it takes no more than a POSIX shell, grep, ln, mkdir and sleep.
# Environment: ENGINE_PORT, in four hexadecimal digits, as the kernel lists it; VALIDATOR_HOME, which is kept; VALIDATOR_CONFIG,
# the folder to link there as config. Arguments: the command.
set -eu

mkdir -p "$VALIDATOR_HOME"
ln -sfn "$VALIDATOR_CONFIG" "$VALIDATOR_HOME/config"
# 0A is a listening socket; the containers of a pod share their network.
until grep -q ":$ENGINE_PORT [0-9A-F]*:0000 0A" /proc/net/tcp /proc/net/tcp6 2>/dev/null; do
  sleep 0.2
done
exec "$@"
