#!/bin/sh
# Bundles what the report page draws its charts with, into the folder that is named.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# Not asked of Debian where it is: other packages of Node.js have npm in them.
command -v npm >/dev/null || "$here/../system.sh" npm
mkdir -p "$1"
target=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$here"/package.json "$here"/package-lock.json "$here"/.npmrc "$here"/*.mjs "$work"
cd "$work"
npm ci --silent --prefer-offline
node bundle.mjs "$target"
