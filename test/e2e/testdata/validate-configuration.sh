#!/usr/bin/env bash
# Validates the node.conf of each member with Corda itself: prints "MEMBER ok" or "MEMBER refused" and Corda's
# message. Arguments: the directories of the members. Runs in the Corda image, with the C1 compiler only, since no
# flow runs here.
set -euo pipefail
libraries=$(echo /opt/corda/capsule/apps/*/)
for folder in "$@"; do
  base=/tmp/$(basename "$folder")
  mkdir "$base"
  cp -L "$folder/node.conf" "$base/"
  if java -Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "/opt/corda/corda.jar:${libraries}*:/opt/corda/drivers/*" \
    net.corda.node.Corda validate-configuration --base-directory "$base" > "$base/said" 2>&1; then
    echo "$(basename "$folder") ok"
  else
    echo "$(basename "$folder") refused"
    grep -v '^ *$' "$base/said" | tail -n 5
  fi
done
