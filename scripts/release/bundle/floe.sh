#!/bin/sh
# Runs the command of the same name with the Node.js of this bundle.
self=$(readlink -f "$0")
home=$(dirname "$(dirname "$self")")
# For a machine without libatomic.
LD_LIBRARY_PATH=$home/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$home/bin/node" "$home/app/bin/$(basename "$self").mjs" "$@"
