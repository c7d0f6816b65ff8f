import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';

/** Who signs in at the issuer next, and what it says of them. */
export interface Account {
  readonly sub: string;
  readonly email?: string;
  readonly email_verified?: boolean;
  readonly name?: string;
  readonly groups?: readonly string[];
}

export interface TestIssuer {
  readonly url: string;
  /** Who is at the issuer: signs in without a word, unless null, who refuses. */
  account: Account | null;
  /** Requests that Floe itself sent, as `POST /token`. */
  readonly asked: string[];
  /** Follows a browser from Floe's redirect through the issuer; returns the address it is sent back to. */
  visit(location: string): Promise<URL>;
  close(): Promise<void>;
}

export const CLIENT_SECRET = 'a secret that both of them know';

/** A real OpenID provider on loopback. `redirectUri` is the callback that is registered there. */
export async function startIssuer(redirectUri: string): Promise<TestIssuer> {
  const asked: string[] = [];
  const state: { account: Account | null } = { account: null };
  let provider: Provider | null = null;
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url?.split('?')[0]}`);
    if (!provider) return void res.writeHead(503).end();
    if (req.url?.startsWith('/interaction/')) return void interact(provider, req, res, state.account);
    provider.callback()(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  provider = new Provider(
    url,
    configuration(redirectUri, () => state.account),
  );
  return {
    url,
    asked,
    get account() {
      return state.account;
    },
    set account(account) {
      state.account = account;
    },
    visit: (location) => visit(location, url),
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

function configuration(redirectUri: string, account: () => Account | null) {
  return {
    clients: [
      {
        client_id: 'floe',
        client_secret: CLIENT_SECRET,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    cookies: { keys: ['a key of this test'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
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
      grant.addOIDCScope('openid email profile groups');
      await grant.save();
      return grant;
    },
  };
}

async function interact(
  provider: Provider,
  req: IncomingMessage,
  res: ServerResponse,
  account: Account | null,
): Promise<void> {
  const refusal = { error: 'access_denied', error_description: 'not today' };
  await provider.interactionFinished(req, res, account ? { login: { accountId: account.sub } } : refusal);
}

async function visit(location: string, issuer: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(location);
  for (let step = 0; step < 10; step++) {
    if (url.origin !== issuer) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    const next = answer.headers.get('location');
    if (next === null) throw new Error(`the issuer answered ${answer.status}: ${await answer.text()}`);
    url = new URL(next, url);
  }
  throw new Error('the issuer sends the browser in a circle');
}
