import type { routeSimulationResult } from '@floe/contract/api/routes';
import type * as z from 'zod';
import type { ModelResource } from '../../data/lookup-queries.ts';
import { matchesModelPattern } from '../../data/model-pattern.ts';
import type { DisplayStatus } from '../../ui/status.tsx';
import { getBreakerStateDisplay } from '../breakers/breaker-state-display.ts';
import { routesText } from './text.ts';

/** The result of a simulated request. */
export type RouteSimulation = z.output<typeof routeSimulationResult>;

/** The form values of a simulated request. */
export interface RouteSimulationFormValues {
  readonly model: string;
  /** ID of a platform key. Empty simulates the request without a key. */
  readonly key: string;
  readonly endUser: string;
  readonly tools: boolean;
  readonly images: boolean;
  readonly stream: boolean;
  /** Approximate number of prompt tokens. */
  readonly tokens: string;
}

/**
 * Returns the model to simulate for a route. For a pattern, this is the first model of a provider that matches it, or
 * an empty string if there is none. An alias has a route of its own.
 */
export function findModelToSimulate(
  model: string,
  models: readonly Pick<ModelResource, 'id' | 'kind'>[],
): string {
  if (!model.includes('*')) return model;
  return models.find(({ id, kind }) => kind === 'model' && matchesModelPattern(model, id))?.id ?? '';
}

/** Approximate number of characters per token. */
const CHARACTERS_PER_TOKEN = 4;
const MAX_TOKENS = 200_000;
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/**
 * Converts the form to the body of a simulation, which contains a Chat Completions request.
 * @param draft The draft of a route to use in the simulation.
 * @param replaces The ID of the saved route that the draft replaces.
 */
export function toRouteSimulationBody(form: RouteSimulationFormValues, draft?: object, replaces?: string) {
  const wanted = Math.min(MAX_TOKENS, Math.max(1, Math.round(Number(form.tokens) || 1)));
  const prompt = 'word '.repeat(Math.ceil((wanted * CHARACTERS_PER_TOKEN) / 5)).trim();
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
      messages: [{ role: 'user', content: form.images ? [{ type: 'text', text: prompt }, image] : prompt }],
      ...(form.tools ? { tools: [tool] } : {}),
    },
    ...(form.key === '' ? {} : { key_id: form.key }),
    ...(form.endUser === '' ? {} : { end_user: form.endUser }),
    ...(draft === undefined ? {} : { draft }),
    ...(replaces === undefined ? {} : { replaces }),
  };
}

/**
 * Describes the result of a simulation: the first target and the state of its breaker, or why the request would
 * be rejected.
 */
export function describeRouteSimulation({ outcome, targets, status, message }: RouteSimulation): {
  readonly state: DisplayStatus;
  readonly text: string;
} {
  const [first] = targets;
  const words = routesText.result;
  if (outcome === 'rejected') return { state: 'blocked', text: words.rejected(status, message ?? '') };
  if (!first) return { state: 'failing', text: words.noTarget };
  const name = `${first.provider}/${first.model}`;
  const fallback = targets.length > 1 ? words.fallback : '';
  const { state } = getBreakerStateDisplay({ state: first.breaker, forced: null, wait_ms: first.wait_ms });
  // Targets with an open breaker come last. If the first target has an open breaker, all targets have one.
  if (first.breaker === 'open')
    return {
      state,
      text: words.open(name) + fallback,
    };
  if (first.breaker === 'half_open') return { state, text: words.halfOpen(name) + fallback };
  if (first.breaker === 'ramping') return { state, text: words.ramping(name) + fallback };
  return { state, text: words.used(name) + fallback };
}

/** Returns whether the saved route and the draft handle the request differently. */
export function doSimulationResultsDiffer(saved: RouteSimulation, draft: RouteSimulation): boolean {
  const ends = ({ outcome, status, targets }: RouteSimulation) =>
    `${outcome} ${status} ${targets.map(({ provider, model, credential }) => `${provider}/${model}@${credential}`).join()}`;
  return ends(saved) !== ends(draft);
}
