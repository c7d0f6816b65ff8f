import type { LoadedConfig } from '../config/load.ts';
import { systemClock } from '../core/clock.ts';
import { Issuers } from '../platform/sign-in/oidc-issuer.ts';
import { createPasswordHasher } from '../platform/sign-in/password-hash.ts';
import { sessionRulesOf } from '../platform/sign-in/session-rules.ts';
import { Sessions } from '../platform/sign-in/sessions.ts';
import type { SignInParts } from '../platform/sign-in/sign-in.ts';
import { siteOf } from '../platform/sign-in/site.ts';
import { createThrottle } from '../platform/sign-in/throttle.ts';
import type { Parts } from './parts.ts';

/** Sign-in to the console. `place.url` is where people find this process. */
export function assembleSignIn(
  { database, log, signInKeys, outbound }: Parts,
  loaded: () => LoadedConfig,
  place: { readonly url: string },
): SignInParts {
  return {
    database,
    clock: systemClock,
    sessions: new Sessions(database, systemClock, log, () => sessionRulesOf(loaded().config.auth)),
    throttle: createThrottle(database, systemClock),
    hasher: createPasswordHasher(),
    challengeKey: signInKeys.challenge,
    sealingKey: signInKeys.sealing,
    issuers: new Issuers(outbound, systemClock),
    auth: () => loaded().config.auth,
    site: () =>
      siteOf(
        place.url,
        loaded().config.server.listeners.map(({ port }) => port),
      ),
  };
}
