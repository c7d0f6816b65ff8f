import type { KeyScope } from '@floe/contract/scopes';
import { type Actor, requireActorScope } from '../../platform/actor.ts';
import { requireStepUp } from '../access.ts';

/**
 * Requires that the caller may give a key these scopes, or may learn the value of a key that has them. The caller
 * needs each scope, and a member needs a step-up for `management`: requests with such a key need none, so that a
 * person who finds an unlocked browser could otherwise gain lasting access.
 *
 * @throws Fault `insufficient_scope`, `step_up_required`
 */
export function requireGrantableScopes(actor: Actor, scopes: Iterable<KeyScope>, nowMs: number): void {
  for (const scope of scopes) {
    requireActorScope(actor, scope);
    if (scope === 'management') requireStepUp(actor, nowMs);
  }
}
