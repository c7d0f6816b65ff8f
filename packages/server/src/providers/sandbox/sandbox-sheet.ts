import { chatCompatibleFields, type ProviderSheet } from '../provider-sheet.ts';

/** Origin that never leaves the process: `createSandboxTransport` answers for it. */
export const SANDBOX_ORIGIN = 'sandbox://local';

/**
 * Built in, offline, deterministic: what the first request, the docs and the tests talk to.
 * `echo` repeats, `tools` calls what it is offered, `slow` takes a second a word, `flaky` fails on request.
 */
export const sandbox: ProviderSheet = {
  ...chatCompatibleFields,
  kind: 'sandbox',
  name: 'Sandbox',
  baseUrl: SANDBOX_ORIGIN,
  keyVariables: [],
  auth: { type: 'none' },
  streamUsage: 'ask',
  knownModels: ['echo', 'tools', 'slow', 'flaky'],
  priceBookName: 'free',
  docs: 'docs/guides/test-with-the-sandbox.md',
  checked: '2026-11-21',
};
