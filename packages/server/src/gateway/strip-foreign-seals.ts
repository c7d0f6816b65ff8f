import { Fault } from '@floe/contract/faults';
import { mayContainFloeSeals, removeForeignSeals } from '@floe/wire/foreign-seals';
import { scanJsonObject } from '@floe/wire/json-edits';
import { findCallerCredential } from './caller-credential.ts';
import type { ClientRequest } from './client-request.ts';
import type { Exchange } from './exchange-record.ts';
import type { Target } from './org-catalog.ts';

/**
 * Returns the request without the seals that the target did not create. `dropped` lists the removed seals. All
 * other bytes are unchanged.
 * @throws Fault `unsupported_parameter` if nothing of the conversation is left, or if the target cannot read a
 * compaction
 */
export function stripForeignSeals(x: Exchange, request: ClientRequest, target: Target): ClientRequest {
  const { dialect } = x.surface;
  if (isUsualTarget(x, target) && !mayContainFloeSeals(dialect, request.body)) return request;
  const { body, dropped } = removeForeignSeals(request, {
    dialect,
    origin: getAcceptedSealOrigin(x, target),
    usualOrigin: findUsualSealOrigin(x),
  });
  if (body === request.body) return request;
  const lost = [...(request.dropped ?? []), ...dropped];
  return { ...request, body, members: scanJsonObject(body), dropped: lost };
}

/** Returns whether the request to the target contains seals, and remains valid without any of them. */
export function canOmitSeals(x: Exchange, target: Target): boolean {
  const { prompt, turn } = x.request;
  const sent = turn?.requestFor(target) ?? prompt;
  if (sent === null) return false;
  try {
    const omitted = { dialect: x.surface.dialect, origin: '', usualOrigin: findUsualSealOrigin(x) };
    return removeForeignSeals(sent, omitted).body !== sent.body;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}

/** Returns the origin of the seals that may be sent to the target. Empty if a provider rejected the seals. */
export function getAcceptedSealOrigin(x: Exchange, { provider, credential }: Target): string {
  return x.omittedParts.seals ? '' : provider.sealOrigin(credential);
}

/** Origins are hashes. This check avoids computing them for each request with a caller's credential. */
function isUsualTarget(x: Exchange, { provider, credential }: Target): boolean {
  const [first] = x.route?.targets ?? [];
  if (x.omittedParts.seals) return false;
  return first?.provider === provider && (provider.usesCallerCredential || first.credential === credential);
}

/**
 * Returns the origin to assume for seals that do not contain one: the target that the conversation usually
 * uses. Undefined if the caller has no credential for this target.
 */
export function findUsualSealOrigin(x: Exchange): string | undefined {
  const [first] = x.route?.targets ?? [];
  const credential = first?.provider.usesCallerCredential
    ? findCallerCredential(x, first)
    : first?.credential;
  return credential && first?.provider.sealOrigin(credential);
}
