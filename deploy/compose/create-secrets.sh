#!/bin/sh
# Creates the secrets in secrets/, and a self-signed certificate in tls/ for the host name in the first argument.
# Secrets that exist stay as they are. The containers run as other users, so files are readable and directories are not.
set -eu
cd "$(dirname "$0")"
host=${1:-localhost}

mkdir -p secrets tls
chmod 700 secrets tls

# Returns whether the file in the first argument has a line that matches the second argument.
contains() {
  [ -e "$1" ] || return 1
  result=0
  grep -q "$2" "$1" || result=$?
  [ "$result" -le 1 ] || { echo "$1 cannot be read. Correct its permissions." >&2; exit 1; }
  return "$result"
}

# Writes the secret in the second argument, unless there is one. A failed command leaves a file that is empty.
create() {
  contains "secrets/$1" '[^[:space:]]' && return 0
  rm -f "secrets/$1"
  printf '%s\n' "$2" > "secrets/$1"
  chmod 444 "secrets/$1"
  echo "created secrets/$1"
}

# The shell does not end if a command in an argument fails. It ends if a command in an assignment fails.
value=$(openssl rand -hex 32)
create secret_key "$value"
value=$(openssl rand -hex 24)
create postgresql_password "$value"
value=$(openssl rand -hex 24)
create valkey_password "$value"
# URLs without a password are from an earlier version of this script, after openssl had failed.
if contains secrets/database_url '^postgres://floe:@'; then rm -f secrets/database_url; fi
if contains secrets/redis_url '^redis://:@'; then rm -f secrets/redis_url; fi
value=$(cat secrets/postgresql_password)
create database_url "postgres://floe:$value@postgresql:5432/floe"
value=$(cat secrets/valkey_password)
create redis_url "redis://:$value@valkey:6379/0"

if [ ! -s tls/tls.crt ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj "/CN=$host" \
    -addext "subjectAltName=DNS:$host" -keyout tls/tls.key -out tls/tls.crt 2> /dev/null
  chmod 600 tls/tls.key
  echo "created a self-signed certificate for $host in tls/"
fi
[ -f .env ] || { echo "FLOE_BASE_URL=https://$host" > .env && echo "created .env"; }
