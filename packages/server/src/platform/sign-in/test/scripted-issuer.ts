import { generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { JsonObject } from '@floe/contract/json';

const CLIENT_ID = 'floe';

/** A standard-compliant issuer whose responses a test can change. */
export interface ScriptedIssuer {
  readonly port: number;
  /** Requested paths, in order. */
  readonly requestedPaths: string[];
  /** Additions to the discovery document. */
  metadata: JsonObject;
  /** Replaces the response of a path. */
  readonly overrides: Map<string, (response: ServerResponse) => void>;
  /** The nonce of the next ID token. */
  nonce: string;
  /** Additions to the claims of ID tokens. */
  claims: JsonObject;
  /** Signs the next ID tokens with an unknown key. */
  isForged: boolean;
  close(): void;
}

const keyPair = () => generateKeyPairSync('rsa', { modulusLength: 2048 });

/** Starts an issuer on loopback at `http://<host>:<port>`. */
export async function startScriptedIssuer(host: string): Promise<ScriptedIssuer> {
  const own = keyPair();
  const other = keyPair();
  const said = (): string => `http://${host}:${state.port}`;
  const answers: Readonly<Record<string, () => JsonObject>> = {
    '/.well-known/openid-configuration': () => ({
      issuer: said(),
      authorization_endpoint: `${said()}/authorize`,
      token_endpoint: `${said()}/token`,
      jwks_uri: `${said()}/jwks`,
      userinfo_endpoint: `${said()}/me`,
      id_token_signing_alg_values_supported: ['RS256'],
      ...state.metadata,
    }),
    '/token': () => ({ access_token: 'a', token_type: 'bearer', id_token: idToken() }),
    '/jwks': () => {
      const { n = '', e = '' } = own.publicKey.export({ format: 'jwk' });
      return { keys: [{ kty: 'RSA', n, e, kid: 'own', alg: 'RS256', use: 'sig' }] };
    },
    '/me': () => ({ sub: 'jo', email: 'jo@acme.example' }),
  };

  function idToken(): string {
    const now = Math.floor(Date.now() / 1000);
    const times = { iat: now, exp: now + 60 };
    const claims = { iss: said(), sub: 'jo', aud: CLIENT_ID, ...times, nonce: state.nonce, ...state.claims };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'RS256', kid: 'own' })}.${part(claims)}`;
    const { privateKey } = state.isForged ? other : own;
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
  }

  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    request.resume();
    state.requestedPaths.push(path);
    const instead = state.overrides.get(path);
    const answer = answers[path];
    if (instead) instead(response);
    else if (answer) response.setHeader('content-type', 'application/json').end(JSON.stringify(answer()));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const state: ScriptedIssuer = {
    port: address.port,
    requestedPaths: [],
    metadata: {},
    overrides: new Map(),
    nonce: '',
    claims: {},
    isForged: false,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
  return state;
}
