import { createHash, createSecretKey } from 'node:crypto';
import { type FloeConfigInput, FloeConfigSchema } from '@floe/contract/config';
import type { MemberRole } from '@floe/contract/roles';
import type { Clock } from '../../../core/clock.ts';
import { silentLog } from '../../../core/log.ts';
import { createOutboundGuard } from '../../../core/outbound-guard.ts';
import type { Operation } from '../../../management/operation.ts';
import { deriveOidcFlowKey } from '../../../platform/secrets.ts';
import { toConsoleSessionSettings } from '../../../platform/sign-in/console-session-settings.ts';
import { ConsoleSessions } from '../../../platform/sign-in/console-sessions.ts';
import { OidcIssuerCache } from '../../../platform/sign-in/oidc-issuer-cache.ts';
import { createOwnerLink } from '../../../platform/sign-in/owner-link.ts';
import { createPasswordHasher } from '../../../platform/sign-in/password-hash.ts';
import type { SignInContext } from '../../../platform/sign-in/sign-in-context.ts';
import { createSignInThrottle } from '../../../platform/sign-in/sign-in-throttle.ts';
import { buildSignInUrls } from '../../../platform/sign-in/sign-in-urls.ts';
import { insertMember, insertUser } from '../../../store/members.ts';
import type { Database } from '../../../store/store-interfaces.ts';
import { API_TEST_NOW, type ApiTestResponse, type RunningApi, runApi } from '../../test/running-api.ts';
import { createSignInApi } from '../create-sign-in-api.ts';

export const TEST_PASSWORD = 'quiet harbour lantern';

export interface TestSignIn {
  readonly api: RunningApi;
  readonly parts: SignInContext;
  /** Number of hashed passwords so far. */
  hashes(): number;
  /** Applies another `auth` section, as a changed floe.yaml does. */
  setAuth(auth: TestSignInOptions['auth']): void;
  /** Advances the clock of the API and its dependencies. */
  advance(ms: number): void;
  /** Creates a person with `TEST_PASSWORD` who is a member of these orgs. */
  addPerson(email: string, roles: Readonly<Record<string, MemberRole>>): Promise<string>;
  ownerLink(orgId?: string): Promise<string>;
  browser(): TestBrowser;
  audited(action: string): Promise<readonly { readonly subject: string; readonly after: string | null }[]>;
  close(): Promise<void>;
}

export interface TestSignInOptions {
  readonly baseUrl?: string;
  readonly auth?: FloeConfigInput['auth'];
  readonly trustedProxies?: readonly string[];
  /** Operations in addition to those of the API. */
  readonly operations?: readonly Operation[];
}

/**
 * Starts the real API with sign-in on SQLite, with the organizations `acme` and `other`. Password
 * hashing is replaced with a fast version that counts calls.
 */
export async function startTestSignIn(options: TestSignInOptions = {}): Promise<TestSignIn> {
  let now = API_TEST_NOW;
  let hashes = 0;
  let browsers = 0;
  let parts: SignInContext | null = null;
  const hasher = createFakeHasher(() => {
    hashes += 1;
  });
  const authOf = (auth: TestSignInOptions['auth']) => FloeConfigSchema.parse({ auth }).auth;
  let auth = authOf(options.auth);
  const { baseUrl = 'https://floe.example', trustedProxies = [], operations = [] } = options;
  const partsOf = (database: Database, clock: Clock): SignInContext => ({
    database,
    clock,
    hasher,
    flowEncryptionKey: deriveOidcFlowKey(Buffer.alloc(32, 6)),
    issuers: new OidcIssuerCache({ guard: loopbackGuard(), via: () => undefined }, clock),
    challengeKey: createSecretKey(Buffer.alloc(32, 5)),
    sessions: new ConsoleSessions(database, clock, silentLog, () => toConsoleSessionSettings(auth)),
    throttle: createSignInThrottle(database, clock),
    auth: () => auth,
    site: () => buildSignInUrls(baseUrl, [8443]),
  });
  const api = await runApi({
    operations,
    signIn(database, clock) {
      parts = partsOf(database, clock);
      return createSignInApi(parts, trustedProxies, silentLog);
    },
  });
  if (parts === null) throw new Error('the API asked for no sign-in');
  const open: SignInContext = parts;
  return {
    api,
    parts: open,
    hashes: () => hashes,
    setAuth(changed) {
      auth = authOf(changed);
    },
    advance(ms) {
      now += ms;
      api.setNow(now);
    },
    addPerson: (email, roles) => addPerson(open, email, roles),
    ownerLink: (orgId = 'acme') =>
      api.database.transaction((writer) => createOwnerLink(writer, open.clock, orgId)),
    browser: () => new TestBrowser(api, testAddress(browsers++)),
    audited: (action) => listAuditEntries(api, action),
    async close() {
      await open.sessions.close();
      await api.close();
    },
  };
}

function listAuditEntries({ database }: RunningApi, action: string) {
  return database.read
    .selectFrom('audit')
    .select(['subject', 'after_json as after'])
    .where('action', '=', action)
    .orderBy('id')
    .execute();
}

/** Creates hashes that cost no time. */
function createFakeHasher(count: () => void) {
  return createPasswordHasher((_, { message, nonce, tagLength }, done) => {
    count();
    const tag = createHash('sha512').update(nonce).update(message).digest().subarray(0, tagLength);
    setImmediate(done, null, tag);
  });
}

function loopbackGuard() {
  const named = new Set<string>();
  return createOutboundGuard(() => ({ allowPrivate: true, privateNetworks: [], namedHosts: () => named }));
}

async function addPerson(
  { database, hasher, clock }: SignInContext,
  email: string,
  roles: Readonly<Record<string, MemberRole>>,
): Promise<string> {
  const id = `usr_${email.replaceAll(/\W/g, '')}`;
  const times = { created_at: clock.now(), updated_at: clock.now() };
  const password_hash = await hasher.hash(TEST_PASSWORD);
  await database.transaction(async (writer) => {
    await insertUser(writer, { id, email, name: email, password_hash, preferences_json: null, ...times });
    for (const [org_id, role] of Object.entries(roles))
      await insertMember(writer, {
        id: `mem_${org_id}_${id.slice(4)}`,
        org_id,
        user_id: id,
        role,
        team: null,
        source: 'console',
        updated_by: 'test',
        ...times,
      });
  });
  return id;
}

function testAddress(n: number): string {
  return `198.18.${n >> 8}.${n & 255}`;
}

/**
 * A simulated browser on a page of this installation. It stores cookies and sends the origin with
 * its requests.
 */
export class TestBrowser {
  /** Values by cookie name. */
  readonly cookies = new Map<string, string>();
  readonly #api: RunningApi;
  readonly #address: string;

  /**
   * `address` is the client address that a proxy in front of Floe sends. It is used if the proxy is trusted.
   */
  constructor(api: RunningApi, address: string) {
    this.#api = api;
    this.#address = address;
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiTestResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.#api.call(method, path, {
      headers: {
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': this.#address,
        ...(cookie !== '' && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { body }),
    });
    for (const line of answer.headers['set-cookie'] ?? []) this.#keep(line);
    return answer;
  }

  signIn(
    email: string,
    password = TEST_PASSWORD,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiTestResponse> {
    return this.ask('POST', '/api/session/password', { email, password }, headers);
  }

  /** The value of the session cookie. */
  get token(): string {
    return [...this.cookies].find(([name]) => name.includes('floe_session'))?.[1] ?? '';
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';');
    const at = pair.indexOf('=');
    if (/; Max-Age=0(;|$)/.test(line)) this.cookies.delete(pair.slice(0, at));
    else this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
  }
}
