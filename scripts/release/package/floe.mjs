#!/usr/bin/env node
// The floe command of the npm package, in JavaScript that old versions of Node.js can read.
import { assertSupportedNode } from './supported-node.mjs';

assertSupportedNode();
await import('../cli/dist/main.js');
