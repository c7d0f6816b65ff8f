import { chatProviderDefaults, type ProviderDefinition } from '../provider-definition.ts';

/** The origin of sandbox requests. `createSandboxTransport` handles them within this process. */
export const SANDBOX_ORIGIN = 'sandbox://local';

/**
 * The definition of a built-in, offline and deterministic provider for first requests, documentation and
 * tests. Its model `echo` repeats the input, `tools` calls the offered tools, `slow` takes one second per
 * word, and `flaky` fails on request.
 */
export const sandbox: ProviderDefinition = {
  ...chatProviderDefaults,
  kind: 'sandbox',
  name: 'Sandbox',
  baseUrl: SANDBOX_ORIGIN,
  keyVariables: [],
  auth: { type: 'none' },
  streamUsage: 'ask',
  knownModels: ['echo', 'tools', 'slow', 'flaky'],
  priceCatalogName: 'free',
  docs: 'docs/guides/test-with-the-sandbox.md',
  checked: '2026-11-21',
};
