#!/bin/sh
# Installs Floe from this directory. It uses no network.
set -eu
# Other users run what is installed: the service, and the agents of developers.
umask 022

usage() {
  cat <<TEXT
usage: ./install.sh [--prefix <directory>] [--bin <directory>] [--systemd]

  --prefix   where the versions of Floe are installed; default: /opt/floe
  --bin      where the commands floe and floe-hook are linked; default: /usr/local/bin
  --systemd  also creates the user floe and installs the service floe
TEXT
}

prefix=/opt/floe
bin=/usr/local/bin
systemd=no
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=${2:?"--prefix needs a directory"}; shift 2 ;;
    --bin) bin=${2:?"--bin needs a directory"}; shift 2 ;;
    --systemd) systemd=yes; shift ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

here=$(dirname "$(readlink -f "$0")")
version=$(cat "$here/VERSION")
if ! LD_LIBRARY_PATH=$here/lib "$here/bin/node" --version >/dev/null; then
  echo "install.sh: Node.js does not run on this machine ($(uname -m)). Use the bundle for its architecture, on Linux with glibc 2.28 or newer and libstdc++." >&2
  exit 1
fi
if [ "$systemd" = yes ] && [ "$prefix" != /opt/floe ]; then
  echo "install.sh: the service expects Floe in /opt/floe. Leave out --prefix." >&2
  exit 2
fi

# The new version is complete before `current` names it. Earlier versions stay, for a return to them.
prefix=$(mkdir -p "$prefix" && CDPATH='' cd "$prefix" && pwd)
bin=$(mkdir -p "$bin" && CDPATH='' cd "$bin" && pwd)
rm -rf "$prefix/$version.new"
cp -R "$here" "$prefix/$version.new"
# The bundle may have been unpacked with another umask.
chmod -R go+rX "$prefix/$version.new"
rm -rf "${prefix:?}/$version"
mv "$prefix/$version.new" "$prefix/$version"
ln -s "$version" "$prefix/current.new"
mv -T "$prefix/current.new" "$prefix/current"
for command in floe floe-hook; do ln -sf "$prefix/current/bin/$command" "$bin/$command"; done
echo "Installed Floe $version in $prefix/$version. Run: $bin/floe serve"

if [ "$systemd" = yes ]; then
  getent passwd floe >/dev/null ||
    useradd --system --user-group --no-create-home --home-dir /var/lib/floe --shell /usr/sbin/nologin floe
  mkdir -p /etc/systemd/system /etc/floe
  install -m 0644 "$here/systemd/floe.service" /etc/systemd/system/floe.service
  [ -e /etc/floe/floe.env ] || install -m 0600 "$here/systemd/floe.env.example" /etc/floe/floe.env
  [ ! -d /run/systemd/system ] || systemctl daemon-reload
  echo "Installed the service floe. Run: systemctl enable --now floe"
fi
