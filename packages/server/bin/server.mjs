#!/usr/bin/env node
// JavaScript so that the compile cache is on before the first line of TypeScript is read.
import { enableCompileCache } from 'node:module';

enableCompileCache();
const { run } = await import('../src/main.ts');
await run();
