import { FloeInvalidArgumentError } from './errors.ts';

/**
 * Validates a platform key and returns it. Rejects characters that are not allowed in headers, because
 * `fetch` would fail with a message that contains the key.
 * @throws FloeInvalidArgumentError
 */
export function requireApiKey(apiKey: unknown): string {
  const key = typeof apiKey === 'string' ? apiKey.trim() : '';
  if (key === '')
    throw new FloeInvalidArgumentError('apiKey is required. Example: new Floe({ apiKey: "eis_…" })');
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new FloeInvalidArgumentError(
      'apiKey contains characters that are not valid in a key, such as spaces, line breaks or accented letters. Use a platform key (eis_…).',
    );
  return key;
}

/**
 * Validates a base URL and returns it without trailing slashes.
 * @throws FloeInvalidArgumentError
 */
export function parseBaseUrl(baseUrl: unknown = 'http://127.0.0.1:3563'): string {
  const text = typeof baseUrl === 'string' ? baseUrl.trim() : '';
  if (!/^https?:\/\/[^/\s?#@]+(\/[^\s?#]*)?$/i.test(text))
    throw new FloeInvalidArgumentError(
      'baseUrl must be an http or https URL without a user name, query string or fragment. Example: https://floe.example.com',
    );
  return text.replace(/\/+$/, '');
}

/**
 * Validates a timeout in seconds and returns it.
 * @throws FloeInvalidArgumentError
 */
export function requireTimeoutSeconds(timeoutSeconds: unknown = 5): number {
  if (typeof timeoutSeconds === 'number' && timeoutSeconds > 0 && Number.isFinite(timeoutSeconds))
    return timeoutSeconds;
  throw new FloeInvalidArgumentError('timeoutSeconds must be a positive number. Example: 5');
}
