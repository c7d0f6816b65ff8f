import type { routeSimulationResult } from '@floe/contract/api/routes';
import type * as z from 'zod';
import type { DisplayStatus } from '../../ui/status.tsx';
import { standingOf } from '../breakers/breaker-state.ts';

export type Simulated = z.output<typeof routeSimulationResult>;

/** What is pretended to be asked. */
export interface SimulationForm {
  readonly model: string;
  /** Id of a platform key; empty asks as oneself. */
  readonly key: string;
  readonly endUser: string;
  readonly tools: boolean;
  readonly images: boolean;
  readonly stream: boolean;
  /** Tokens of the prompt, about. */
  readonly tokens: string;
}

/** About so many characters are one token, for a prompt that is only there to be long. */
const CHARACTERS = 4;
const TOKENS_AT_MOST = 200_000;
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The body of the API: a Chat request that has what the form says, and nothing else. */
export function simulationBody(form: SimulationForm, draft?: object, replaces?: string) {
  const wanted = Math.min(TOKENS_AT_MOST, Math.max(1, Math.round(Number(form.tokens) || 1)));
  const text = 'word '.repeat(Math.ceil((wanted * CHARACTERS) / 5)).trim();
  const image = { type: 'image_url', image_url: { url: PIXEL } };
  const tool = {
    type: 'function',
    function: { name: 'look_up', parameters: { type: 'object', properties: {} } },
  };
  return {
    surface: 'chat',
    request: {
      model: form.model,
      stream: form.stream,
      messages: [{ role: 'user', content: form.images ? [{ type: 'text', text }, image] : text }],
      ...(form.tools ? { tools: [tool] } : {}),
    },
    ...(form.key === '' ? {} : { key_id: form.key }),
    ...(form.endUser === '' ? {} : { end_user: form.endUser }),
    ...(draft === undefined ? {} : { draft }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}

/** Where it would go first, or why nowhere: one line, and the state that the breaker of this target gives it. */
export function verdictOf({ outcome, targets, status, message }: Simulated): {
  readonly state: DisplayStatus;
  readonly text: string;
} {
  const [first] = targets;
  if (outcome === 'rejected') return { state: 'blocked', text: `Refused with ${status}: ${message ?? ''}` };
  if (!first) return { state: 'failing', text: 'Would be sent, but no target is left.' };
  const name = `${first.provider}/${first.model}`;
  const rest = targets.length > 1 ? ', then those below' : '';
  const { state } = standingOf({ state: first.breaker, forced: null, wait_ms: first.wait_ms });
  // Targets whose breaker is open come last: when the first one is, all are.
  if (first.breaker === 'open')
    return {
      state,
      text: `Every target’s breaker is open. One request at a time is sent to ${name}${rest}; others fail with 503.`,
    };
  if (first.breaker === 'half_open')
    return { state, text: `${name} would get it as the probe of its breaker${rest}.` };
  if (first.breaker === 'ramping')
    return { state, text: `${name} would be used for a part of the requests${rest}.` };
  return { state, text: `${name} would be used${rest}.` };
}

/** True when the saved route and the draft lead to different ends. */
export function isDifferent(saved: Simulated, draft: Simulated): boolean {
  const ends = ({ outcome, status, targets }: Simulated) =>
    `${outcome} ${status} ${targets.map(({ provider, model, credential }) => `${provider}/${model}@${credential}`).join()}`;
  return ends(saved) !== ends(draft);
}
