import { isObject, type JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS } from '@floe/wire/dialects';
import type { Ask as WireAsk } from '@floe/wire/request';
import { sealedBy } from '@floe/wire/seal';
import { readBoolean } from '@floe/wire/splice';
import { type Ask, parseBody } from './ask.ts';
import { callerCredential } from './caller-credential.ts';
import type { Target } from './catalog.ts';
import type { Exchange } from './exchange-record.ts';
import { planForward } from './forward.ts';
import type { Surface } from './surface.ts';
import { mayReplay, planTranslate, type Reading, translatedAnswer } from './translate.ts';
import type { Planner } from './trial.ts';

/** Members in which proofs of earlier reasoning travel; each only pleases the credential that made it. */
const SEAL_MARKS = ['"signature"', '"encrypted_content"', '"redacted_thinking"', '"reasoning_details"'];
/** How a proof made elsewhere begins (`@floe/wire/seal`). */
const PACKED_MARK = Buffer.from('"floe1.');

/**
 * Chooses per target between forwarding and translating. A target of the client's dialect gets the client's
 * bytes, unless they carry proofs it would refuse: made by another credential, or none at all. Then the request
 * is written anew without them, and the loss is reported.
 */
export function createPlanner(x: Exchange, ask: Ask): Planner {
  const { dialect } = x.surface;
  let read: Reading | null = null;
  function reading(): Reading {
    if (read) return read;
    const body = parseBody(ask);
    const asked = x.request.turn?.whole() ?? body;
    const wireAsk =
      ask.wire ?? CLIENT_DIALECTS[dialect].readAsk(asked, { dropHostedTools: bringsOwnTools(asked) });
    const [first] = x.course?.targets ?? [];
    const credential = first?.provider.usesCaller ? callerCredential(x, first) : first?.credential;
    const origin = credential && first?.provider.sealOrigin(credential);
    read = { prompt: ask, ask: origin === undefined ? wireAsk : sealedBy(wireAsk, origin), body };
    return read;
  }
  /** Only an answer we write ourselves can be continued by another attempt. */
  function isRewritten(): boolean {
    if (x.course?.rescue !== 'replay' || !ask.stream) return false;
    if (keepsItsId(ask, dialect) || !mayReplay(x, reading().ask)) {
      if (x.attempts.length === 0) x.decisions.push(NO_REPLAY);
      return false;
    }
    return true;
  }
  return (target: Target, moved: boolean) => {
    const { provider, credential } = target;
    // An IDE's answers are written anew whoever gives them: strictly Chat, without a provider's additions.
    if (ask.wire || !provider.speaks(dialect, target.model))
      return planTranslate(x, target, provider.dialectFor(target.model), reading());
    // The marks may stand anywhere in a body; only what was read tells whether they are proofs.
    if (
      mayRefuseProofs(dialect, ask.body, moved) &&
      refusesProofs(reading().ask, provider.sealOrigin(credential))
    )
      return planTranslate(x, target, dialect, reading());
    const rewrite = (streamed: boolean) => translatedAnswer(x, target, dialect, reading())(streamed);
    const isAlways = isRewritten();
    const plan = planForward(x, x.request.turn?.askFor(target) ?? ask, target, rewrite);
    return isAlways ? { ...plan, answer: rewrite } : plan;
  };
}

const NO_REPLAY = {
  step: 'send',
  outcome: 'no_replay',
  because: 'the answer has parts that only pass as they come; a broken stream ends with the error',
} as const;

/** A Responses answer the provider stores is asked for by the id the provider gave it. */
function keepsItsId({ body, members }: Ask, dialect: Surface['dialect']): boolean {
  if (dialect !== 'responses') return false;
  const store = members.get('store');
  return !store || readBoolean(body, store) !== false;
}

/**
 * Whether tools of the caller's own stand beside those a provider runs itself: an agent's toolbox, which works
 * without the latter elsewhere. A request for such tools alone is a request for them.
 */
function bringsOwnTools({ tools }: JsonObject): boolean {
  return (
    Array.isArray(tools) &&
    tools.some(
      (tool) => isObject(tool) && OWN_TOOLS.has(typeof tool['type'] === 'string' ? tool['type'] : ''),
    )
  );
}

const OWN_TOOLS = new Set(['', 'function', 'custom', 'namespace']);

/** Looking costs as much as the scan of the body, so a Chat body is looked through only once it has moved. */
function mayRefuseProofs(dialect: Surface['dialect'], body: Buffer, moved: boolean): boolean {
  // No answer of ours ever gave a Chat client a proof to bring back.
  if (dialect === 'chat' && !moved) return false;
  if (body.includes(PACKED_MARK) || hasEmptySignature(body)) return true;
  return moved && SEAL_MARKS.some((mark) => body.includes(mark));
}

/** Reasoning whose proof another maker gave, or that Messages would want one for. */
function refusesProofs({ dialect, turns }: WireAsk, origin: string): boolean {
  return turns.some(({ parts }) =>
    parts.some((part) => {
      if (part.type !== 'reasoning') return false;
      if (part.seal === undefined) return dialect === 'messages';
      return part.seal.origin !== origin || part.seal.dialect !== dialect;
    }),
  );
}

const SIGNATURE = Buffer.from('"signature"');

/** Whether a member `"signature"` holds an empty string, with any white space JSON allows. */
function hasEmptySignature(body: Buffer): boolean {
  for (let at = body.indexOf(SIGNATURE); at !== -1; at = body.indexOf(SIGNATURE, at)) {
    at = afterSpace(body, at + SIGNATURE.length);
    if (body[at] !== 0x3a) continue;
    at = afterSpace(body, at + 1);
    if (body[at] === 0x22 && body[at + 1] === 0x22) return true;
  }
  return false;
}

function afterSpace(body: Buffer, from: number): number {
  let at = from;
  while (body[at] === 0x20 || body[at] === 0x0a || body[at] === 0x0d || body[at] === 0x09) at += 1;
  return at;
}
