import { Fault } from '@floe/contract/faults';
import { denialOf, type Judgement } from '../../guardrails/policies/judge.ts';
import { judgeRequest } from '../../guardrails/policies/judge-bodies.ts';
import type { Policies } from '../../guardrails/policies/policies.ts';
import type { JudgedRequest } from '../../guardrails/policies/request-subject.ts';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Ask } from '../ask.ts';
import { endUserOf } from '../end-user.ts';
import type { Exchange } from '../exchange-record.ts';

/**
 * Judges a request by its org's policies. Returns the body to send on: the client's own, or one without the
 * values that a rule wants out of it. From here on the answer is judged too.
 *
 * @throws Fault `policy_denied`
 */
export function passRequestGate(x: Exchange, key: KeyRecord, ask: Ask, policies: Policies): Buffer {
  const { request: side, answer } = policies;
  const request = judgedRequest(x, key, ask);
  if (answer) x.judged = { ...x.judged, gate: { side: answer, request } };
  if (side === null) return ask.body;
  const { judgement, body } = judgeRequest(side, request);
  note(x, judgement);
  if (judgement.deniedBy) throw new Fault('policy_denied', denialOf(judgement.deniedBy));
  if (body !== ask.body) noteRewriting(x, judgement);
  return body;
}

function judgedRequest(x: Exchange, key: KeyRecord, { body, members, model, stream }: Ask): JudgedRequest {
  return {
    body,
    members,
    model,
    stream,
    surface: x.surface.name,
    key: key.name,
    team: key.team,
    owner: key.owner,
    endUser: endUserOf(x),
    metadata: x.controls?.metadata ?? null,
    session: x.session,
  };
}

/** Every rule that applied, on the row. */
export function note(x: Exchange, { decisions }: Judgement): void {
  for (const { outcome, because } of decisions) x.decisions.push({ step: 'policy', outcome, because });
}

/** Told in `x-floe-rewritten`: what went on is not what was sent. */
export function noteRewriting(x: Exchange, { decisions }: Judgement): void {
  const names = decisions.filter(({ outcome }) => outcome === 'redacted').map(({ policy }) => policy.name);
  const rewrittenBy = [...new Set([...(x.judged.rewrittenBy ?? []), ...names])];
  x.judged = { ...x.judged, rewrittenBy };
}
