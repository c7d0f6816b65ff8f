import type { CanonicalRequest, ContentPart } from './request.ts';
import type { DialectName, Seal } from './response-events.ts';

/** The start of a packed seal. */
export const PACKED_SEAL_PREFIX = 'floe1.';
const SEAL_DIALECTS: readonly DialectName[] = ['chat', 'responses', 'messages', 'gemini', 'converse'];

/**
 * Encodes a seal of another dialect as a string that a client can send back in an opaque member, such
 * as a thinking signature or encrypted reasoning. A prefix distinguishes it from a seal of the
 * client's own dialect. `origin` must consist of word characters.
 * @example
 * packSeal({ dialect: 'messages', value: 'c2ln' }, 'acme'); // 'floe1.messages.acme.s.c2ln'
 */
export function packSeal(seal: Seal, origin: string): string {
  return `${PACKED_SEAL_PREFIX}${seal.dialect}.${origin}.${seal.redacted ? 'r' : 's'}.${seal.value}`;
}

/**
 * Decodes the value of an opaque field that a client sent. The value is a packed seal or a seal in the
 * client's own dialect.
 * @example
 * const seal = unpackSeal('floe1.messages.acme.s.c2ln', 'chat');
 * seal.dialect; // 'messages'
 * seal.origin; // 'acme'
 */
export function unpackSeal(value: string, dialect: DialectName, redacted?: true): Seal {
  if (!isPackedSeal(value)) return { dialect, value, redacted };
  const [, made, origin, kind] = value.split('.', 4);
  const found = SEAL_DIALECTS.find((name) => name === made);
  if (found === undefined || origin === undefined || (kind !== 'r' && kind !== 's'))
    return { dialect, value, redacted };
  const start = PACKED_SEAL_PREFIX.length + found.length + 1 + origin.length + 3;
  return { dialect: found, value: value.slice(start), redacted: kind === 'r' ? true : undefined, origin };
}

/**
 * Returns whether a string is a packed seal, which must never be sent to a provider.
 * @example
 * isPackedSeal('floe1.messages.acme.s.c2ln'); // true
 */
export function isPackedSeal(value: string): boolean {
  return value.startsWith(PACKED_SEAL_PREFIX);
}

/**
 * Returns whether a target accepts a seal. `dialect` is the dialect of the target. `origin` identifies its provider
 * and credential.
 * @example
 * isSealAccepted({ dialect: 'messages', value: 'c2ln', origin: 'acme' }, 'messages', 'globex'); // false
 */
export function isSealAccepted(seal: Seal, dialect: DialectName, origin: string | undefined): boolean {
  return seal.dialect === dialect && (seal.origin === undefined || seal.origin === origin);
}

/**
 * Sets `origin` on every seal without one. Such a seal was created by the usual target of the conversation,
 * and no other target accepts it.
 * @example
 * const parts = [{ type: 'reasoning', text: '', seal: { dialect: 'messages', value: 'c2ln' } }];
 * const { request } = normalizeIdeRequest({ model: 'gpt-5', input: 'Hello' });
 * const sealed = addMissingSealOrigins({ ...request, turns: [{ role: 'assistant', parts }] }, 'acme');
 * sealed.turns[0].parts[0].seal.origin; // 'acme'
 */
export function addMissingSealOrigins(request: CanonicalRequest, origin: string): CanonicalRequest {
  const signed = (part: ContentPart): ContentPart =>
    part.type === 'reasoning' && part.seal && part.seal.origin === undefined
      ? { ...part, seal: { ...part.seal, origin } }
      : part;
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(signed) })) };
}
