import { createAttemptPlanner } from './attempt-planner.ts';
import { isCacheEnabled } from './cache/cache-settings.ts';
import { serveThroughCache } from './cache/serve-through-cache.ts';
import { MAX_JSON_BODY_BYTES, parseClientRequest } from './client-request.ts';
import { CommentKeepAlive } from './comment-keep-alive.ts';
import { COMPLETE_RESULT, type Exchange, type ExchangeResult, UNPARSED_REQUEST } from './exchange-record.ts';
import { requireExactModelId } from './ide/exact-model-id.ts';
import { IdeKeepAlive } from './ide/ide-keep-alive.ts';
import { parseIdeRequest, replaceRequestBody } from './ide/parse-ide-request.ts';
import { keepOwnersTargets, recordProviderResources } from './keep-owners-targets.ts';
import { requireAllowedNestedModels } from './nested-models.ts';
import type { GatewayOperation, RoutedPrompt } from './operation.ts';
import { orderTargets, setExchangeRoute } from './order-targets.ts';
import { resolveRoute } from './org-catalog.ts';
import { applyRequestPolicies } from './policy/apply-request-policies.ts';
import { sendToTargets } from './send-to-targets.ts';
import { loadResponsesTurn } from './stored/load-responses-turn.ts';
import type { GatewaySurface } from './surface.ts';

/** Creates the operation that generates responses with Chat Completions, Responses or Messages. */
export function createGenerationOperation(surface: GatewaySurface): GatewayOperation {
  return {
    surface,
    async parse(x) {
      const routed = await parseAndRoutePrompt(x);
      return { route: routed.route, send: () => generateAnswer(x, routed) };
    },
  };
}

/**
 * Parses a request, resolves its route and evaluates the request policies.
 * @throws Fault if the request is invalid or not permitted
 */
export async function parseAndRoutePrompt(x: Exchange): Promise<RoutedPrompt> {
  const {
    client,
    surface,
    caller: { key, catalog },
  } = x;
  const body = await client.readBody(MAX_JSON_BODY_BYTES);
  const { ide } = surface;
  let prompt = ide ? await parseIdeRequest(x, ide.deployment, body) : parseClientRequest(surface, body);
  x.request = { ...UNPARSED_REQUEST, prompt };
  if (ide) requireExactModelId(catalog, prompt.model);
  const named = resolveRoute(catalog, key.models ?? (() => true), prompt.model);
  const nested = requireAllowedNestedModels(prompt, x.caller, named);
  if (nested.models.length > 0) x.request = { ...x.request, nestedModels: nested.models };
  const owned = prompt.members.hasName ? await keepOwnersTargets(x, prompt, nested.route) : nested.route;
  const route = setExchangeRoute(
    x,
    orderTargets(x, owned, { orgId: key.orgId, stream: prompt.stream, body: prompt }),
  );
  if (catalog.policies !== null) {
    const evaluated = applyRequestPolicies(x, key, prompt, catalog.policies);
    const passed = evaluated instanceof Promise ? await evaluated : evaluated;
    // Limits and budgets count the request by its original attributes.
    if (passed !== prompt.body) prompt = replaceRequestBody(prompt, passed);
    x.request = { ...x.request, prompt };
  }
  if (surface.dialect === 'responses') x.request = { ...x.request, turn: await loadResponsesTurn(x, prompt) };
  // A disconnect during the lookup has not been noticed yet.
  if (client.isInterrupted) throw client.interruption;
  return { prompt, route };
}

async function generateAnswer(x: Exchange, routed: RoutedPrompt): Promise<ExchangeResult> {
  const { prompt: clientRequest, route } = routed;
  const { cache } = x.caller.catalog;
  if (clientRequest.stream)
    x.progress.setKeepAlive(
      clientRequest.canonical ? new IdeKeepAlive(x, clientRequest.canonical) : new CommentKeepAlive(x),
    );
  const produce = () => sendToTargets(x, route, createAttemptPlanner(x, clientRequest));
  let outcome = COMPLETE_RESULT;
  try {
    if (cache === null || !isCacheEnabled(cache, route)) await produce();
    else outcome = { ...COMPLETE_RESULT, state: await serveThroughCache(x, routed, cache, produce) };
  } finally {
    // The only wait for the database. A response ends after its turn has been stored, also if its stream was cut off.
    await x.request.turn?.commit(x);
    recordProviderResources(x, clientRequest);
  }
  return outcome;
}
