#!/usr/bin/env bash
# Installs a VS Code without building its native parts (terminal, log files), which the tests do without.
set -euo pipefail
cd "$(dirname "$0")"

npm ci --silent
cd node_modules/code-server/lib/vscode
npm install --omit=dev --ignore-scripts --legacy-peer-deps --no-audit --no-fund --silent
