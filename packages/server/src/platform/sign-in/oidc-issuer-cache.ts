import type { OidcConfig } from '@floe/contract/config';
import type { Configuration, CustomFetch } from 'openid-client';
import type { Clock } from '../../core/clock.ts';
import type { OutboundGuard } from '../../core/outbound-guard.ts';
import type { ResolvedOutboundConnections } from '../../providers/outbound-connections.ts';
import { createSocketConnector } from '../../providers/socket-connector.ts';

const TIMEOUT_S = 10;
const CONNECT_MS = 5_000;
/** Larger than any discovery document, key set or token response. */
const MAX_RESPONSE_BYTES = 1 << 20;
/** How long a discovery document is cached. The library refreshes the keys itself. */
const DISCOVERY_TTL_MS = 60 * 60_000;

/** Loads the OpenID Connect library. It is loaded at the first sign-in that needs it. */
export function loadOpenidClient() {
  return import('openid-client');
}

/** The connection settings for issuers. They are the same as for all outgoing calls. */
export interface OidcConnectionSettings {
  readonly guard: OutboundGuard;
  readonly via: ResolvedOutboundConnections['via'];
}

/**
 * Caches the issuers' discovery documents. They are loaded only when needed, so that Floe starts
 * even if an issuer is unavailable.
 */
export class OidcIssuerCache {
  readonly #connection: OidcConnectionSettings;
  readonly #clock: Clock;
  readonly #discovered = new Map<
    string,
    { readonly found: Promise<Configuration>; readonly readAt: number }
  >();

  constructor(way: OidcConnectionSettings, clock: Clock) {
    this.#connection = way;
    this.#clock = clock;
  }

  /**
   * Returns the client configuration for an issuer, from its discovery document.
   * @throws Error if the connection fails, the outbound guard rejects it, or the response is invalid
   */
  find(oidc: OidcConfig): Promise<Configuration> {
    const name = JSON.stringify([oidc.issuer, oidc.client_id, oidc.client_secret]);
    const now = this.#clock.monotonic();
    const known = this.#discovered.get(name);
    if (known && now - known.readAt < DISCOVERY_TTL_MS) return known.found;
    const found = discover(oidc, guardedFetch(this.#connection));
    const entry = { found, readAt: now };
    this.#discovered.set(name, entry);
    found.catch(() => {
      if (this.#discovered.get(name) === entry) this.#discovered.delete(name);
    });
    return found;
  }
}

async function discover(oidc: OidcConfig, fetch: CustomFetch): Promise<Configuration> {
  const openid = await loadOpenidClient();
  const { client_id, client_secret, issuer } = oidc;
  // Also checks the signature of ID tokens, because plain HTTP or a proxy that decrypts TLS does not prove
  // their origin. Plain HTTP is allowed only if the operator configured it, for a local provider or a test.
  const execute = [
    openid.enableNonRepudiationChecks,
    ...(issuer.startsWith('http://') ? [openid.allowInsecureRequests] : []),
  ];
  const found = await openid.discovery(new URL(issuer), client_id, undefined, undefined, {
    [openid.customFetch]: fetch,
    execute,
    timeout: TIMEOUT_S,
  });
  if (client_secret === undefined) return found;
  const metadata = found.serverMetadata();
  // OpenID Connect Discovery 1.0, section 3: if absent, the default is client_secret_basic.
  const isPost = metadata.token_endpoint_auth_methods_supported?.includes('client_secret_post') === true;
  const auth = isPost ? openid.ClientSecretPost(client_secret) : openid.ClientSecretBasic(client_secret);
  const configuration = new openid.Configuration(metadata, client_id, undefined, auth);
  configuration[openid.customFetch] = fetch;
  configuration.timeout = TIMEOUT_S;
  for (const apply of execute) apply(configuration);
  return configuration;
}

/** A fetch function that uses the outbound guard, follows no redirects and limits the size of responses. */
function guardedFetch({ guard, via }: OidcConnectionSettings): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const { Client } = await import('undici');
    const target = new URL(url);
    const client = new Client(target.origin, {
      connect: createSocketConnector(target, via(target.origin), CONNECT_MS, guard),
      headersTimeout: TIMEOUT_S * 1000,
      bodyTimeout: TIMEOUT_S * 1000,
      maxResponseSize: MAX_RESPONSE_BYTES,
    });
    try {
      const answer = await client.request({
        path: `${target.pathname}${target.search}`,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: { 'user-agent': 'floe', ...headers },
        ...(body && { body: String(body) }),
        ...(signal && { signal }),
      });
      const text = await answer.body.text();
      const fields = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      );
      const isBodiless = [204, 205, 304].includes(answer.statusCode);
      return new Response(isBodiless ? null : text, { status: answer.statusCode, headers: fields });
    } finally {
      client.destroy().catch(() => undefined);
    }
  };
}
