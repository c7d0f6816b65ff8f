import { Fault } from '@floe/contract/faults';
import { isBetaFlagRejection, isSealRejection } from '@floe/wire/upstream-fault';
import type { Exchange } from './exchange-record.ts';
import type { ClientHeaders } from './forward-request.ts';
import type { Target } from './org-catalog.ts';
import { getTargetName } from './routing-strategy.ts';
import { canOmitSeals } from './strip-foreign-seals.ts';
import { ForwardedUpstreamError } from './upstream-error.ts';

/** The request header with the names of the beta features that a Messages request uses. */
const BETA_HEADER = 'anthropic-beta';
const NO_HEADERS: readonly string[] = [];
const MAX_ERROR_TEXT_BYTES = 4096;

/**
 * Omits the part of the request that the target rejected, if the request can succeed without it, and records
 * the decision. Returns whether a part was omitted. Omits each part at most once. Floe cannot know in advance
 * which beta features a model supports, or whether a seal in the client's dialect was created by another target,
 * process or key.
 */
export function omitRejectedRequestPart(x: Exchange, target: Target, error: unknown): boolean {
  // Passthrough requests are not changed.
  if (x.progress.isBroken || x.request.opaque !== null) return false;
  const text = readErrorText(error);
  const { seals, betaFlags } = x.omittedParts;
  const name = getTargetName(target);
  let why: string;
  if (!seals && isSealRejection(text) && canOmitSeals(x, target)) {
    x.omittedParts = { seals: true, betaFlags };
    why =
      'the provider could not verify the reasoning of earlier responses; the request was sent again without this reasoning';
  } else if (!betaFlags.has(name) && isBetaFlagRejection(text) && x.client.headers[BETA_HEADER]) {
    x.omittedParts = { seals, betaFlags: new Set([...betaFlags, name]) };
    why =
      'the provider rejected a value of the header anthropic-beta; the request was sent again without this header';
  } else return false;
  x.decisions.push({ step: 'send', outcome: 'omits', reason: `${name}: ${why}` });
  return true;
}

/** Returns the text of a provider's error. An error about a credential says nothing about the request. */
function readErrorText(error: unknown): string {
  if (error instanceof ForwardedUpstreamError) return error.body.toString('utf8', 0, MAX_ERROR_TEXT_BYTES);
  if (!(error instanceof Fault) || error.code === 'upstream_auth_failed') return '';
  return error.detail.upstreamBody ?? '';
}

/** The headers of the client to forward to a target, and the names of the headers that are omitted. */
export interface ForwardableHeaders {
  /** The headers to send: all except those that the target rejected. */
  readonly headers: ClientHeaders;
  /** The names of the headers that the target rejected. */
  readonly omitted: readonly string[];
}

/** Returns the client's headers without those that the target rejected. */
export function getForwardableHeaders(
  { client, omittedParts }: Exchange,
  target: Target,
): ForwardableHeaders {
  const { betaFlags } = omittedParts;
  return betaFlags.size > 0 && betaFlags.has(getTargetName(target))
    ? { headers: { ...client.headers, [BETA_HEADER]: undefined }, omitted: [BETA_HEADER] }
    : { headers: client.headers, omitted: NO_HEADERS };
}
