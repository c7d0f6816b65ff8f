import { isJsonObject } from '@floe/contract/json';
import {
  type BundleCacheLocation,
  type CachedBundle,
  getBundleCacheDirectory,
  parseSignedBundle,
  readCachedBundle,
  storeCachedBundle,
} from './bundle-cache.ts';
import { HookRequestError, sendHookRequest } from './hook-http.ts';
import type { HookSettings } from './hook-settings.ts';
import { markServerResponsive } from './unresponsive-server.ts';
import { verifyCachedBundle } from './verify-cached-bundle.ts';

const FETCH_TIMEOUT_MS = 10_000;

/**
 * Downloads the rules to the cache. Stores the signing key of the first bundle. Rejects a bundle that is signed
 * with another key, has expired, or is older than the cached one. Returns a description of the result for the
 * user.
 * @throws HookRequestError if the bundle cannot be downloaded or is rejected
 */
export async function refreshBundle(paths: BundleCacheLocation, settings: HookSettings): Promise<string> {
  const { baseUrl, key } = settings;
  if (baseUrl === null || key === null)
    throw new HookRequestError(
      settings.problem ??
        'the hook is not configured; set FLOE_RELAY_KEY, then run "floe hook install <agent>"',
    );
  const directory = getBundleCacheDirectory(paths, settings);
  const before = readCachedBundle(directory, settings);
  // Without an ETag, the server also sends rules that replace damaged ones.
  const etag = before && verifyCachedBundle(before, Date.now()) ? before.etag : null;
  const { status, headers, body } = await sendHookRequest({
    url: `${baseUrl}/relay/v1/bundle`,
    key,
    method: 'GET',
    timeoutMs: FETCH_TIMEOUT_MS,
    headers: etag === null ? {} : { 'if-none-match': etag },
  });
  markServerResponsive(paths, settings);
  if (status === 304 && etag !== null) return 'the rules are unchanged';
  if (status !== 200)
    throw new HookRequestError(`the server responded with status ${status}${formatServerMessage(body)}`);
  const bundle = parseBundleAnswer(body);
  if (!bundle)
    throw new HookRequestError('the server did not send a rule bundle; check the configured base URL');
  const next = {
    bundle,
    etag: headers.get('etag') ?? null,
    pinnedKey: before?.pinnedKey ?? settings.publicKey ?? bundle.public_key,
  };
  const payload = verifyCachedBundle(next, Date.now());
  if (!payload) throw new HookRequestError(describeUnusableBundle(next, directory));
  const old = before && verifyCachedBundle(before, Number.NEGATIVE_INFINITY);
  if (old && Date.parse(old.issued_at) > Date.parse(payload.issued_at))
    throw new HookRequestError(
      'the downloaded rules are older than the cached rules, so the cached rules remain in use',
    );
  storeCachedBundle(directory, next);
  return `rules ${payload.version}, valid until ${payload.expires_at}`;
}

function describeUnusableBundle(cached: CachedBundle, directory: string): string {
  const isSigned = verifyCachedBundle(cached, Number.NEGATIVE_INFINITY) !== null;
  return isSigned
    ? 'the rule bundle has expired; check the clocks of this machine and of the server'
    : `the rule bundle is not signed with the expected server key, which is public_key in the hook settings or the key of the first bundle; if the server key has changed, update public_key if it is set, delete ${directory}, and run "floe hook install <agent>" again`;
}

function parseBundleAnswer(body: string) {
  const parsed = parseJsonOrNull(body);
  return isJsonObject(parsed) ? parseSignedBundle(parsed) : null;
}

function formatServerMessage(body: string): string {
  const parsed = parseJsonOrNull(body);
  const error =
    isJsonObject(parsed) && isJsonObject(parsed['error']) ? parsed['error']['message'] : undefined;
  return typeof error === 'string' ? `: ${error.slice(0, 300)}` : '';
}

function parseJsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
