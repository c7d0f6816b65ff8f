import { mayContainOwnSeals, removeForeignSeals } from '@floe/wire/foreign-seals';
import { scanJsonObject } from '@floe/wire/json-edits';
import { findCallerCredential } from './caller-credential.ts';
import type { ClientRequest } from './client-request.ts';
import type { Exchange } from './exchange-record.ts';
import type { Target } from './org-catalog.ts';

/**
 * Returns the request without the seals that the target did not create. They are listed in `dropped`. All
 * other bytes are unchanged.
 * @throws Fault `unsupported_parameter` if nothing of the conversation is left
 */
export function withoutForeignSeals(x: Exchange, request: ClientRequest, target: Target): ClientRequest {
  const { dialect } = x.surface;
  if (isUsualTarget(x, target) && !mayContainOwnSeals(dialect, request.body)) return request;
  const { body, dropped } = removeForeignSeals(request, {
    dialect,
    origin: target.provider.sealOrigin(target.credential),
    usualOrigin: usualSealOrigin(x),
  });
  if (body === request.body) return request;
  const lost = [...(request.dropped ?? []), ...dropped];
  return { ...request, body, members: scanJsonObject(body), dropped: lost };
}

/** Origins are hashes. This check avoids computing them for each request with a caller's credential. */
function isUsualTarget(x: Exchange, { provider, credential }: Target): boolean {
  const [first] = x.route?.targets ?? [];
  return first?.provider === provider && (provider.usesCallerCredential || first.credential === credential);
}

/**
 * Returns the origin of seals that do not contain it: the target that the conversation usually uses. Undefined
 * if the caller has no credential for this target.
 */
export function usualSealOrigin(x: Exchange): string | undefined {
  const [first] = x.route?.targets ?? [];
  const credential = first?.provider.usesCallerCredential
    ? findCallerCredential(x, first)
    : first?.credential;
  return credential && first?.provider.sealOrigin(credential);
}
