#!/bin/sh
# Makes the validators' keys and both geneses with the user's own Emerald, and lays out the files that become Secrets.
# Runs in the user's image, so it takes no more than a POSIX shell, cat, cp, mkdir and sed.
# Environment: MEMBERS, CHAIN_ID, KEYS (what "evm keys" made), ORDERS (testnet.toml), OUT, WORK. The next step funds accounts in
# OUT/unfunded/genesis.json.
set -eu

umask 077
mkdir -p "$OUT/network" "$OUT/unfunded" "$OUT/load" "$WORK"
# emerald-utils makes a folder where it stands.
cd "$WORK"

emerald testnet --home "$WORK/nodes" --testnet-config "$ORDERS/testnet.toml"

i=0
while [ "$i" -lt "$MEMBERS" ]; do
  key=$WORK/nodes/$i/config/priv_validator_key.json
  emerald show-pubkey "$key" >>"$WORK/public-keys"
  mkdir -p "$OUT/members/member-$i"
  cp "$key" "$OUT/members/member-$i/priv_validator_key.json"
  cp "$KEYS/$i/nodekey" "$KEYS/$i/peers" "$KEYS/$i/geth.toml" "$OUT/members/member-$i"
  i=$((i + 1))
done

# No key of this owner exists, so the set of validators cannot change.
emerald-utils genesis --public-keys-file "$WORK/public-keys" --chain-id "$CHAIN_ID" \
  --poa-owner-address 0x000000000000000000000000000000000000dEaD \
  --evm-genesis-output "$WORK/genesis.json" --emerald-genesis-output "$OUT/network/emerald-genesis.json"

# geth refuses a genesis that leaves the number of blobs of a fork open; these are mainnet's (EIP-4844, EIP-7691).
later='{"target": 6, "max": 9, "baseFeeUpdateFraction": 5007716}'
blobs="\"cancun\": {\"target\": 3, \"max\": 6, \"baseFeeUpdateFraction\": 3338477}, \"prague\": $later, \"osaka\": $later"
case $(cat "$WORK/genesis.json") in
  *'"blobSchedule"'*) cp "$WORK/genesis.json" "$OUT/unfunded/genesis.json" ;;
  *)
    sed "s/\"config\": {/\"config\": {\"blobSchedule\": {$blobs},/" "$WORK/genesis.json" >"$OUT/unfunded/genesis.json"
    ;;
esac

cp "$KEYS/network/jwt" "$OUT/network/jwt"
cp "$KEYS/load/seed" "$OUT/load/seed"
