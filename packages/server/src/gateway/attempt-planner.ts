import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS } from '@floe/wire/dialects';
import { readBooleanAt } from '@floe/wire/json-edits';
import type { CanonicalRequest } from '@floe/wire/request';
import { addMissingSealOrigins } from '@floe/wire/seal';
import { findCallerCredential } from './caller-credential.ts';
import { type ClientRequest, parseClientRequestBody } from './client-request.ts';
import type { Exchange } from './exchange-record.ts';
import type { AttemptPlanner } from './failover.ts';
import type { Target } from './org-catalog.ts';
import { planForwardedAttempt } from './plan-forward.ts';
import {
  canReplay,
  createTranslatedSinkFactory,
  planTranslatedAttempt,
  type TranslatableRequest,
} from './plan-translation.ts';
import type { GatewaySurface } from './surface.ts';

/** JSON members that contain seals. Only the credential with which a seal was created accepts it. */
const SEAL_MEMBERS = ['"signature"', '"encrypted_content"', '"redacted_thinking"', '"reasoning_details"'];
/** The start of a packed seal (`@floe/wire/seal`). */
const PACKED_SEAL_PREFIX = Buffer.from('"floe1.');

/**
 * Creates a function that chooses between forwarding and translation for each target. A target with
 * the client's dialect receives the client's bytes unchanged, unless they contain seals that the
 * target would reject. In that case, the request is rewritten without these seals, and the seals
 * are reported as dropped.
 */
export function createAttemptPlanner(x: Exchange, prompt: ClientRequest): AttemptPlanner {
  const { dialect } = x.surface;
  let read: TranslatableRequest | Fault | null = null;
  function reading(): TranslatableRequest {
    read ??= captureFault(() => readTranslatableRequest(x, prompt));
    if (read instanceof Fault) throw read;
    return read;
  }
  /** Returns whether Floe rewrites the stream, so that another attempt can continue it. */
  function isRewritten(): boolean {
    if (x.route?.rescue !== 'replay' || !prompt.stream) return false;
    if (isStoredByProvider(prompt, dialect) || !isReplayable()) {
      if (x.attempts.length === 0) x.decisions.push(NO_REPLAY_DECISION);
      return false;
    }
    return true;
  }
  /** A request that Floe cannot read may still be valid for its provider. */
  function isReplayable(): boolean {
    const readable = captureFault(reading);
    return !(readable instanceof Fault) && canReplay(x, readable.canonical);
  }
  return (target: Target, moved: boolean) => {
    const { provider, credential } = target;
    // Responses to IDEs are always written by Floe: strict Chat without additions of the provider.
    if (prompt.canonical || !provider.supportsDialect(dialect, target.model))
      return planTranslatedAttempt(x, target, provider.dialectFor(target.model), reading());
    // The markers may occur anywhere in a body. Only the parsed request shows whether they are seals.
    if (
      mayRejectSeals(dialect, prompt.body, moved) &&
      rejectsSeals(reading().canonical, provider.sealOrigin(credential))
    )
      return planTranslatedAttempt(x, target, dialect, reading());
    const rewrite = (streamed: boolean) =>
      createTranslatedSinkFactory(x, target, dialect, reading())(streamed);
    const isAlways = isRewritten();
    const plan = planForwardedAttempt(x, x.request.turn?.requestFor(target) ?? prompt, target, rewrite);
    return isAlways ? { ...plan, createSink: rewrite } : plan;
  };
}

function readTranslatableRequest(x: Exchange, prompt: ClientRequest): TranslatableRequest {
  const body = parseClientRequestBody(prompt);
  const asked = x.request.turn?.expandedBody() ?? body;
  const canonical =
    prompt.canonical ??
    CLIENT_DIALECTS[x.surface.dialect].readRequest(asked, { dropHostedTools: hasCallerTools(asked) });
  const [first] = x.route?.targets ?? [];
  const credential = first?.provider.usesCallerCredential
    ? findCallerCredential(x, first)
    : first?.credential;
  const origin = credential && first?.provider.sealOrigin(credential);
  return {
    prompt,
    canonical: origin === undefined ? canonical : addMissingSealOrigins(canonical, origin),
    body,
  };
}

function captureFault<T>(step: () => T): T | Fault {
  try {
    return step();
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

const NO_REPLAY_DECISION = {
  step: 'send',
  outcome: 'no_replay',
  reason:
    'the response can contain parts that cannot be replayed; if the stream is cut off, the client receives the error',
} as const;

/**
 * Returns whether the provider stores the response (Responses API). The client then uses the provider's
 * response id.
 */
function isStoredByProvider({ body, members }: ClientRequest, dialect: GatewaySurface['dialect']): boolean {
  if (dialect !== 'responses') return false;
  const store = members.get('store');
  return !store || readBooleanAt(body, store) !== false;
}

/**
 * Returns whether the request contains tools of the caller. Such a request still works if its hosted tools
 * are removed; a request with only hosted tools does not.
 */
function hasCallerTools({ tools }: JsonObject): boolean {
  return (
    Array.isArray(tools) &&
    tools.some(
      (tool) =>
        isJsonObject(tool) && CALLER_TOOL_TYPES.has(typeof tool['type'] === 'string' ? tool['type'] : ''),
    )
  );
}

const CALLER_TOOL_TYPES = new Set(['', 'function', 'custom', 'namespace']);

/**
 * Returns whether the target may reject seals in the body. The search takes as long as the scan of the body,
 * so Chat bodies are searched only after a change of target.
 */
function mayRejectSeals(dialect: GatewaySurface['dialect'], body: Buffer, moved: boolean): boolean {
  // Floe never sends seals to Chat clients, so they cannot return any.
  if (dialect === 'chat' && !moved) return false;
  if (body.includes(PACKED_SEAL_PREFIX) || hasEmptySignature(body)) return true;
  return moved && SEAL_MEMBERS.some((mark) => body.includes(mark));
}

/**
 * Returns whether the request contains reasoning with a seal of another origin, or reasoning without the seal
 * that Messages requires.
 */
function rejectsSeals({ dialect, turns }: CanonicalRequest, origin: string): boolean {
  return turns.some(({ parts }) =>
    parts.some((part) => {
      if (part.type !== 'reasoning') return false;
      if (part.seal === undefined) return dialect === 'messages';
      return part.seal.origin !== origin || part.seal.dialect !== dialect;
    }),
  );
}

const SIGNATURE = Buffer.from('"signature"');

/** Returns whether a member `"signature"` is an empty string, with any white space that JSON permits. */
function hasEmptySignature(body: Buffer): boolean {
  for (let at = body.indexOf(SIGNATURE); at !== -1; at = body.indexOf(SIGNATURE, at)) {
    at = skipWhitespace(body, at + SIGNATURE.length);
    if (body[at] !== 0x3a) continue;
    at = skipWhitespace(body, at + 1);
    if (body[at] === 0x22 && body[at + 1] === 0x22) return true;
  }
  return false;
}

function skipWhitespace(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at += 1;
  return at;
}
