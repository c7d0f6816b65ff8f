import { JSON_BODY_BYTES, readAsk } from './ask.ts';
import { throughCache } from './cache/recall.ts';
import { isCached } from './cache/rules.ts';
import { resolveCourse } from './catalog.ts';
import { EarlyAnswer } from './early-answer.ts';
import { COMPLETE, type Exchange, type Outcome, UNREAD } from './exchange-record.ts';
import { refuseAliases } from './ide/exact-ids.ts';
import { LeadingAnswer } from './ide/leading-answer.ts';
import { readIdeAsk, withBody } from './ide/read-ide-ask.ts';
import type { Operation, Prompt } from './operation.ts';
import { orderTargets, takeCourse } from './order-targets.ts';
import { createPlanner } from './planner.ts';
import { passRequestGate } from './policy/request-gate.ts';
import { send } from './send.ts';
import { openTurn } from './stored/read-turn.ts';
import type { Surface } from './surface.ts';

/** Chat, Responses and Messages: a model writes the answer. */
export function generation(surface: Surface): Operation {
  return {
    surface,
    async parse(x) {
      const prompt = await readPrompt(x);
      return { course: prompt.course, send: () => generate(x, prompt) };
    },
  };
}

/** Reads a request, routes it and judges it by policies. Throws what is wrong with it. */
export async function readPrompt(x: Exchange): Promise<Prompt> {
  const {
    client,
    surface,
    caller: { key, catalog },
  } = x;
  const body = await client.readBody(JSON_BODY_BYTES);
  const { ide } = surface;
  let ask = ide ? await readIdeAsk(x, ide.deployment, body) : readAsk(surface, body);
  x.request = { ...UNREAD, ask };
  if (ide) refuseAliases(catalog, ask.model);
  const resolved = resolveCourse(catalog, key.models ?? (() => true), ask.model);
  const course = takeCourse(
    x,
    orderTargets(x, resolved, { orgId: key.orgId, stream: ask.stream, body: ask }),
  );
  if (catalog.policies !== null) {
    const passed = passRequestGate(x, key, ask, catalog.policies);
    // Who it is counted for stays as the caller said it.
    if (passed !== ask.body) ask = withBody(ask, passed);
    x.request = { ...UNREAD, ask };
  }
  if (surface.dialect === 'responses') x.request = { ...x.request, turn: await openTurn(x, ask) };
  // Who left during a look-up is not listened to yet.
  if (client.isInterrupted) throw client.interruption;
  return { ask, course };
}

async function generate(x: Exchange, prompt: Prompt): Promise<Outcome> {
  const { ask, course } = prompt;
  const { cache } = x.caller.catalog;
  if (ask.stream) x.progress.keepWaiting(ask.wire ? new LeadingAnswer(x, ask.wire) : new EarlyAnswer(x));
  const produce = () => send(x, course, createPlanner(x, ask));
  let outcome = COMPLETE;
  if (cache === null || !isCached(cache, course)) await produce();
  else outcome = { ...COMPLETE, state: await throughCache(x, prompt, cache, produce) };
  // The one wait for the database: an answer ends when its turn can be gone on from.
  await x.request.turn?.commit(x);
  return outcome;
}
