#!/usr/bin/env node
// JavaScript so that the compile cache is on before the first line of TypeScript is read.
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// Lookups of host names that do not resolve occupy up to half of these threads. The others serve files and passwords.
process.env.UV_THREADPOOL_SIZE ??= '16';
enableCompileCache();
// Request bodies count as garbage like any other instead of forcing a full collection each (decisions/0049).
setFlagsFromString('--external-memory-accounted-in-global-limit');
const { runProgram: run } = await import('../src/main.ts');
await run();
