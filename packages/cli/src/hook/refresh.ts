import { isObject } from '@floe/contract/json';
import {
  type BundlePlace,
  bundleDirectory,
  keepBundle,
  readCachedBundle,
  signedBundle,
} from './bundle-cache.ts';
import { exchange, NoAnswer } from './exchange.ts';
import { openCachedBundle } from './open-bundle.ts';
import type { HookSettings } from './settings.ts';
import { forgetUnresponsive } from './unresponsive-server.ts';

const TIMEOUT_MS = 10_000;

/**
 * Fetches the rules into the cache. The first bundle pins its key; one of another key, or an older one, is refused.
 *
 * @returns what there is now, for the person
 * @throws NoAnswer when there is no bundle that may be kept
 */
export async function refreshBundle(places: BundlePlace, settings: HookSettings): Promise<string> {
  const { baseUrl, key } = settings;
  if (baseUrl === null || key === null) throw new NoAnswer(settings.trouble ?? 'there are no settings');
  const directory = bundleDirectory(places, settings);
  const before = readCachedBundle(directory, settings);
  const { status, headers, body } = await exchange({
    url: `${baseUrl}/relay/v1/bundle`,
    key,
    method: 'GET',
    timeoutMs: TIMEOUT_MS,
    headers: before?.etag ? { 'if-none-match': before.etag } : {},
  });
  forgetUnresponsive(places, settings);
  if (status === 304 && before) return 'the rules are those of before';
  if (status !== 200) throw new NoAnswer(`the server answered ${status}${saidBy(body)}`);
  const bundle = bundleIn(body);
  if (!bundle) throw new NoAnswer('the server answered with something that is no bundle');
  const next = {
    bundle,
    etag: headers.get('etag') ?? null,
    pinnedKey: before?.pinnedKey ?? settings.publicKey ?? bundle.public_key,
  };
  const payload = openCachedBundle(next, Date.now());
  if (!payload)
    throw new NoAnswer(
      `the bundle is over, or not signed by the key known here; if the key of the server changed, remove ${directory} and install again`,
    );
  const old = before && openCachedBundle(before, Number.NEGATIVE_INFINITY);
  if (old && Date.parse(old.issued_at) > Date.parse(payload.issued_at))
    throw new NoAnswer('the bundle is older than the one known here');
  keepBundle(directory, next);
  return `rules ${payload.version} until ${payload.expires_at}`;
}

function bundleIn(body: string) {
  const parsed = parsedJson(body);
  return isObject(parsed) ? signedBundle(parsed) : null;
}

function saidBy(body: string): string {
  const parsed = parsedJson(body);
  const error = isObject(parsed) && isObject(parsed['error']) ? parsed['error']['message'] : undefined;
  return typeof error === 'string' ? `: ${error.slice(0, 300)}` : '';
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
