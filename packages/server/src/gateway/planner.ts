import { CLIENT_DIALECTS } from '@floe/wire/dialects';
import { type Ask, parseBody } from './ask.ts';
import type { Target } from './catalog.ts';
import type { Exchange } from './exchange-record.ts';
import { planForward } from './forward.ts';
import type { Planner } from './send.ts';
import { planTranslate, type Reading, translatedAnswer } from './translate.ts';

/** Members in which proofs of earlier reasoning travel; each only pleases the credential that made it. */
const SEAL_MARKS = ['"signature"', '"encrypted_content"', '"redacted_thinking"', '"reasoning_details"'];
/** Proofs no provider takes: made elsewhere and marked by us (`@floe/wire/seal`), or none at all. */
const USELESS_SEALS = ['"floe1.', '"signature":""', '"signature": ""'];

/**
 * Chooses per target between forwarding and translating. A target of the client's dialect gets the client's
 * bytes, unless they carry proofs that another credential made: then the request is written anew without them,
 * and the loss is reported.
 */
export function createPlanner(x: Exchange, ask: Ask): Planner {
  const { dialect } = x.surface;
  let read: Reading | null = null;
  function reading(): Reading {
    if (read) return read;
    const body = parseBody(ask);
    read = { ask: CLIENT_DIALECTS[dialect].readAsk(body), body };
    return read;
  }
  return (target: Target, moved: boolean) => {
    const { provider, model } = target;
    if (!provider.dialects.includes(dialect))
      return planTranslate(x, ask, target, provider.dialectFor(model), reading());
    if (carriesForeignSeals(ask.body, moved)) return planTranslate(x, ask, target, dialect, reading());
    return planForward(x, ask, target, (streamed) =>
      translatedAnswer(x, ask, target, dialect, reading(), streamed),
    );
  };
}

function carriesForeignSeals(body: Buffer, moved: boolean): boolean {
  const marks = moved ? [...USELESS_SEALS, ...SEAL_MARKS] : USELESS_SEALS;
  return marks.some((mark) => body.includes(mark));
}
