// Providers of every temper, for what is written to all of them.
import type { RequestWriteOptions } from '../src/dialect.ts';

/** A provider of which nothing is known, and one that takes whatever its dialect has words for. */
export const WRITE_OPTION_SETS: Readonly<Record<string, RequestWriteOptions>> = {
  bare: {},
  willing: {
    hints: ['user', 'metadata', 'cache-key', 'service-tier', 'verbosity', 'seed', 'cache-mark'],
    tools: ['freeform', 'strict'],
    messages: ['system-in-place', 'developer-role'],
    sealOrigin: 'cred1',
  },
  caching: { hints: ['cache-mark', 'cache-key'], cacheMinTokens: 0, cacheKey: 'made' },
  picky: {
    tools: ['no-strict'],
    messages: ['one-system-first', 'no-user-after-tool'],
    reasoningStyle: 'none',
    sealOrigin: false,
  },
  adaptive: { reasoningStyle: 'adaptive' },
  switching: { reasoningStyle: 'switch' },
  budgeting: { reasoningStyle: 'budget' },
};
