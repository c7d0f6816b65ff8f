import { Fault } from '@floe/contract/faults';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS } from '@floe/wire/dialects';
import { readBooleanAt } from '@floe/wire/json-edits';
import { findLongJsonStrings } from '@floe/wire/long-json-strings';
import { addMissingSealOrigins } from '@floe/wire/seal';
import { type ClientRequest, parseUnambiguousRequestBody } from './client-request.ts';
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
import { findUsualSealOrigin, stripForeignSeals } from './strip-foreign-seals.ts';
import type { GatewaySurface } from './surface.ts';

/**
 * Creates a function that chooses between forwarding and translation for each target. A target with
 * the client's dialect receives the client's bytes, without the seals that it would reject.
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
  return (target: Target) => {
    const { provider } = target;
    // Responses to IDEs are always written by Floe: strict Chat without additions of the provider.
    if (prompt.canonical || !provider.supportsDialect(dialect, target.model))
      return planTranslatedAttempt(x, target, provider.dialectFor(target.model), reading());
    const rewrite = (streamed: boolean) =>
      createTranslatedSinkFactory(x, target, dialect, reading())(streamed);
    const isAlways = isRewritten();
    const request = stripForeignSeals(x, x.request.turn?.requestFor(target) ?? prompt, target);
    const plan = planForwardedAttempt(x, request, target, rewrite);
    return isAlways ? { ...plan, createSink: rewrite } : plan;
  };
}

function readTranslatableRequest(x: Exchange, prompt: ClientRequest): TranslatableRequest {
  const body = parseUnambiguousRequestBody(prompt);
  const asked = x.request.turn?.expandedBody() ?? body;
  const canonical =
    prompt.canonical ??
    CLIENT_DIALECTS[x.surface.dialect].readRequest(asked, { dropHostedTools: hasCallerTools(asked) });
  const origin = findUsualSealOrigin(x);
  return {
    prompt,
    canonical: origin === undefined ? canonical : addMissingSealOrigins(canonical, origin),
    body,
    longStrings: findLongJsonStrings(prompt.body, prompt.members, body),
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
    'the response can contain parts that cannot be replayed; if the stream is cut off, the client receives an error',
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
