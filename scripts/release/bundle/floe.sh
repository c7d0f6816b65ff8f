#!/bin/sh
# Runs the command of the same name with the Node.js of this bundle.
self=$(readlink -f "$0")
home=$(dirname "$(dirname "$self")")
exec "$home/bin/node" "$home/app/bin/$(basename "$self").mjs" "$@"
