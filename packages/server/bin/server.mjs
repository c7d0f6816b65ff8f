#!/usr/bin/env node
// JavaScript so that the compile cache is on before the first line of TypeScript is read.
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

// Lookups of host names that do not resolve occupy up to half of these threads. The others serve files and passwords.
// libuv reads the value when it starts the threads, which Node.js 22.19 and newer do not need to load this file.
process.env.UV_THREADPOOL_SIZE ??= '16';
enableCompileCache();
// Request bodies count as garbage like any other instead of forcing a full collection each (decisions/0049).
// Node.js 22 does not know the flag, and would print an error.
if (!process.version.startsWith('v22.')) setFlagsFromString('--external-memory-accounted-in-global-limit');
const { runProgram: run } = await import('../src/main.ts');
await run();
