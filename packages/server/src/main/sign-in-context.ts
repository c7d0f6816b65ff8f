import type { LoadedConfig } from '../config/load-config.ts';
import { systemClock } from '../core/clock.ts';
import { toConsoleSessionSettings } from '../platform/sign-in/console-session-settings.ts';
import { ConsoleSessions } from '../platform/sign-in/console-sessions.ts';
import { OidcIssuerCache } from '../platform/sign-in/oidc-issuer-cache.ts';
import { createPasswordHasher } from '../platform/sign-in/password-hash.ts';
import type { SignInContext } from '../platform/sign-in/sign-in-context.ts';
import { createSignInThrottle } from '../platform/sign-in/sign-in-throttle.ts';
import { buildSignInUrls } from '../platform/sign-in/sign-in-urls.ts';
import type { ServerComponents } from './server-components.ts';

/** Creates the dependencies of sign-in. `place.url` is the console's base URL. */
export function createSignInContext(
  { database, log, signInKeys, outbound }: ServerComponents,
  loaded: () => LoadedConfig,
  place: { readonly url: string },
): SignInContext {
  return {
    database,
    clock: systemClock,
    sessions: new ConsoleSessions(database, systemClock, log, () =>
      toConsoleSessionSettings(loaded().config.auth),
    ),
    throttle: createSignInThrottle(database, systemClock),
    hasher: createPasswordHasher(),
    challengeKey: signInKeys.challenge,
    flowEncryptionKey: signInKeys.flowEncryption,
    issuers: new OidcIssuerCache(outbound, systemClock),
    auth: () => loaded().config.auth,
    site: () =>
      buildSignInUrls(
        place.url,
        loaded().config.server.listeners.map(({ port }) => port),
      ),
  };
}
