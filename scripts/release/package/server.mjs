#!/usr/bin/env node
// The server of the npm package. The command line and the container image start it at this path.
import '../dist/server.js';
