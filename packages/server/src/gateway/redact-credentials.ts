import { Fault } from '@floe/contract/faults';
import { ForwardedUpstreamError } from './upstream-error.ts';

const REDACTED_TEXT = '[redacted]';
/** Matches tokens that are added to a request when it is sent, such as those of a cloud identity. */
const TOKEN_PATTERN = /\b(Bearer|Basic)\s+[\w.~+/=-]{16,}|\b(Signature=)[0-9a-f]{32,}/gi;

/**
 * Removes configured credentials from an error, because some providers include request headers in
 * their errors. Returns the same error if it contains no credential.
 */
export function redactCredentials(error: Error, secrets: readonly string[]): Error {
  const clean = (text: string) => redactText(text, secrets);
  if (error instanceof ForwardedUpstreamError) {
    const text = error.body.toString('latin1');
    const headers = error.headers.map(clean);
    const body = clean(text);
    if (body === text && headers.every((value, at) => value === error.headers[at])) return error;
    const { status, contentType, isContextLength } = error;
    return new ForwardedUpstreamError(status, contentType, Buffer.from(body, 'latin1'), {
      isContextLength,
      headers,
    });
  }
  if (!(error instanceof Fault)) return error;
  const { code, message, detail } = error;
  const said = detail.upstreamBody;
  const kept = said === undefined ? undefined : clean(said);
  const shown = clean(message);
  if (shown === message && kept === said) return error;
  return new Fault(code, shown, { ...detail, ...(kept === undefined ? {} : { upstreamBody: kept }) });
}

function redactText(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets)
    for (const form of [secret, secret.replaceAll('/', '\\/'), encodeURIComponent(secret)])
      clean = clean.replaceAll(form, REDACTED_TEXT);
  return clean.replace(
    TOKEN_PATTERN,
    (_, scheme = '', signature = '') => `${scheme}${scheme ? ' ' : ''}${signature}${REDACTED_TEXT}`,
  );
}
