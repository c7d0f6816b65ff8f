// Runs the server with one more migration than this release has, as the next release would.
import { registerHooks } from 'node:module';

const LIST = '/store/migrations/migration-list.ts';
const replacement = new URL('./migration-list.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    const isReplaced = resolved.url.endsWith(LIST) && context.parentURL !== replacement;
    return isReplaced ? { ...resolved, url: replacement } : resolved;
  },
});
await import('../../bin/server.mjs');
