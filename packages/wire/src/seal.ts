import type { DialectName, Seal } from './events.ts';
import type { CanonicalRequest, ContentPart } from './request.ts';

const PACKED_SEAL_PREFIX = 'floe1.';
const SEAL_DIALECTS: readonly DialectName[] = ['chat', 'responses', 'messages', 'gemini', 'converse'];

/**
 * Puts a seal of another dialect into a slot that holds opaque text (a thinking signature, encrypted
 * reasoning), marked so that it can never pass for a real one. The origin must be word characters.
 *
 * @example
 * packSeal({ dialect: 'messages', value: 'c2ln' }, 'acme'); // 'floe1.messages.acme.s.c2ln'
 */
export function packSeal(seal: Seal, origin: string): string {
  return `${PACKED_SEAL_PREFIX}${seal.dialect}.${origin}.${seal.redacted ? 'r' : 's'}.${seal.value}`;
}

/**
 * Reads what stood in a client's opaque slot: a packed foreign seal, or the dialect's own.
 *
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
 * True for a slot's text that is ours and must never be forwarded to a provider as its own proof.
 *
 * @example
 * isPackedSeal('floe1.messages.acme.s.c2ln'); // true
 */
export function isPackedSeal(value: string): boolean {
  return value.startsWith(PACKED_SEAL_PREFIX);
}

/**
 * True when `seal` may go to a provider of `dialect` reached with the credential `origin`.
 *
 * @example
 * isSealAccepted({ dialect: 'messages', value: 'c2ln', origin: 'acme' }, 'messages', 'globex'); // false
 */
export function isSealAccepted(seal: Seal, dialect: DialectName, origin: string | undefined): boolean {
  return seal.dialect === dialect && (seal.origin === undefined || seal.origin === origin);
}

/**
 * The request with `origin` on every seal that does not name its maker: what a client says back as the dialect's
 * own was made by the target its conversation usually goes to, and no other takes it.
 *
 * @example
 * const parts = [{ type: 'reasoning', text: '', seal: { dialect: 'messages', value: 'c2ln' } }];
 * const { ask } = normalizeIdeRequest({ model: 'gpt-5', input: 'Hello' });
 * const sealed = withSealOrigin({ ...ask, turns: [{ role: 'assistant', parts }] }, 'acme');
 * sealed.turns[0].parts[0].seal.origin; // 'acme'
 */
export function withSealOrigin(request: CanonicalRequest, origin: string): CanonicalRequest {
  const signed = (part: ContentPart): ContentPart =>
    part.type === 'reasoning' && part.seal && part.seal.origin === undefined
      ? { ...part, seal: { ...part.seal, origin } }
      : part;
  return { ...request, turns: request.turns.map((turn) => ({ ...turn, parts: turn.parts.map(signed) })) };
}
