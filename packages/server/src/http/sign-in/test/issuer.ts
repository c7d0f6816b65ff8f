import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, request as tlsRequest } from 'node:https';
import Provider from 'oidc-provider';

/** The account that signs in next at the issuer, with its claims. */
export interface IssuerAccount {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
  /** Included for the scope `roles`. */
  readonly roles?: readonly string[];
}

export interface TestIssuer {
  readonly url: string;
  /** Its loopback port. */
  readonly port: number;
  /** The account that signs in without interaction. Null rejects the sign-in. */
  account: IssuerAccount | null;
  /** Requests that Floe sent to the issuer, such as `POST /token`. */
  readonly asked: string[];
  /** Follows a redirect of Floe through the issuer. Returns the URL to which the browser is sent back. */
  visit(location: string): Promise<URL>;
  close(): Promise<void>;
}

export const TEST_CLIENT_SECRET = 'a secret that both of them know';

/** A host name without a DNS entry, and its certificate. */
export interface TlsIssuerOptions {
  readonly host: string;
  readonly cert: string;
  readonly key: string;
  /** Certificate of the authority that issued it. */
  readonly ca: string;
}

/**
 * Starts a real OpenID provider on loopback. `redirectUri` is its registered callback. With `named`, it uses
 * TLS with this host name, which only its own clients can resolve.
 */
export async function startIssuer(redirectUri: string, named?: TlsIssuerOptions): Promise<TestIssuer> {
  const asked: string[] = [];
  const state: { account: IssuerAccount | null } = { account: null };
  let provider: Provider | null = null;
  const answer = (req: IncomingMessage, res: ServerResponse) => {
    asked.push(`${req.method} ${req.url?.split('?')[0]}`);
    if (!provider) return void res.writeHead(503).end();
    if (req.url?.startsWith('/interaction/'))
      return void finishInteraction(provider, req, res, state.account);
    provider.callback()(req, res);
  };
  const server = named ? createTlsServer({ cert: named.cert, key: named.key }, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const { port } = address;
  const url = named ? `https://${named.host}` : `http://127.0.0.1:${port}`;
  provider = new Provider(
    url,
    configuration(redirectUri, () => state.account),
  );
  return {
    url,
    port,
    asked,
    get account() {
      return state.account;
    },
    set account(account) {
      state.account = account;
    },
    visit: (location) => followRedirects(location, url, named ? getByLoopback(named, port) : getPlain),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface GrantContext {
  readonly oidc: {
    readonly account: { readonly accountId: string };
    readonly client: { readonly clientId: string };
    readonly provider: Provider;
  };
}

function configuration(redirectUri: string, account: () => IssuerAccount | null) {
  return {
    clients: [
      {
        client_id: 'floe',
        client_secret: TEST_CLIENT_SECRET,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    cookies: { keys: ['a key of this test'] },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
      roles: ['roles'],
    },
    scopes: ['openid', 'email', 'profile', 'groups', 'roles'],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ ...account(), sub: id }),
    }),
    async loadExistingGrant({ oidc }: GrantContext) {
      const grant = new oidc.provider.Grant({
        accountId: oidc.account.accountId,
        clientId: oidc.client.clientId,
      });
      grant.addOIDCScope('openid email profile groups roles');
      await grant.save();
      return grant;
    },
  };
}

async function finishInteraction(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  account: IssuerAccount | null,
): Promise<void> {
  const refusal = { error: 'access_denied', error_description: 'not today' };
  await provider.interactionFinished(req, res, account ? { login: { accountId: account.sub } } : refusal);
}

interface IssuerPage {
  readonly status: number;
  readonly location: string | null;
  readonly cookies: readonly string[];
}

type GetPage = (url: URL, cookie: string) => Promise<IssuerPage>;

const getPlain: GetPage = async (url, cookie) => {
  const { status, headers } = await fetch(url, { redirect: 'manual', headers: { cookie } });
  return { status, location: headers.get('location'), cookies: headers.getSetCookie() };
};

/** A browser that resolves the host name. */
const getByLoopback =
  ({ host, ca }: TlsIssuerOptions, port: number): GetPage =>
  (url, cookie) =>
    new Promise((done, fail) => {
      const at = { host: '127.0.0.1', port, servername: host, ca, agent: false };
      const path = `${url.pathname}${url.search}`;
      tlsRequest({ ...at, path, headers: { host, cookie } }, (answer) => {
        answer.resume();
        const { location = null, 'set-cookie': cookies = [] } = answer.headers;
        done({ status: answer.statusCode ?? 0, location, cookies });
      })
        .on('error', fail)
        .end();
    });

async function followRedirects(location: string, issuer: string, get: GetPage): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(location);
  for (let step = 0; step < 10; step++) {
    if (url.origin !== issuer) return url;
    const page = await get(url, [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    for (const line of page.cookies) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    if (page.location === null) throw new Error(`the issuer answered ${page.status} at ${url.pathname}`);
    url = new URL(page.location, url);
  }
  throw new Error('the issuer sends the browser in a circle');
}
