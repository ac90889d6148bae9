#!/usr/bin/env bash
# Prints the number of states in the vault of a running member's H2 database, and when the oldest was recorded.
# Reads a copy: the node locks the file, whose contents are only ever appended.
set -euo pipefail
copy=/tmp/vault
rm -f "$copy".*
cp /var/lib/corda/persistence.mv.db "$copy.mv.db"
java -Xmx64m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$(echo /opt/corda/capsule/apps/*/)*:/opt/corda/corda.jar" org.h2.tools.Shell \
  -url "jdbc:h2:file:$copy" -user sa -password '' \
  -sql "SELECT 'states=' || COUNT(*) || ' oldest=' || MIN(recorded_timestamp) FROM vault_states" | grep -o 'states=.*[0-9]'
rm -f "$copy".*
