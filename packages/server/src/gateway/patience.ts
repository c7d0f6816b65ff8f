import { nameOf } from './arrange.ts';
import type { Target } from './catalog.ts';
import type { Patience } from './deadlines.ts';
import type { Exchange } from './exchange-record.ts';

/** The targets that are left behind one that is being asked. */
export interface LaterTargets {
  readonly targets: readonly Target[];
  couldAnswer(target: Target): boolean;
}

/**
 * A stream does not wait for its configured deadlines while another target could answer it. Null where none follows.
 * The decision trace gets the deadline, what it rests on and who is left.
 */
export function patienceWith(x: Exchange, target: Target, later: LaterTargets): Patience | null {
  if (later.targets.length === 0) return null;
  const { firstTokens } = x.gateway;
  const orgId = x.caller.key.orgId;
  const name = nameOf(target);
  const ms = Math.round(firstTokens.deadlineMs(orgId, name));
  const isOver = () => {
    // Another credential of a silent model is silent too.
    const next = later.targets.find((other) => nameOf(other) !== name && later.couldAnswer(other));
    if (!next) return false;
    const because = `${name}: no first token within ${ms} ms (${firstTokens.basis(orgId, name)}); ${nameOf(next)} is left`;
    firstTokens.missed(orgId, name);
    x.decisions.push({ step: 'send', outcome: 'first_token_deadline', because });
    return true;
  };
  return { ms, isOver };
}
