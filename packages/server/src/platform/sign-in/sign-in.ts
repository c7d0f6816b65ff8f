import type { KeyObject } from 'node:crypto';
import type { SignInMethod } from '@floe/contract/api/session';
import type { FloeConfig } from '@floe/contract/config';
import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { noteOrigin } from '../../store/audit-context.ts';
import type { Database, Writer } from '../../store/ports.ts';
import { deleteSessionByToken, standingOf } from '../../store/sessions.ts';
import type { SecretsKey } from '../secrets.ts';
import { recordSignIn } from './audit.ts';
import type { Issuers } from './oidc-issuer.ts';
import { canHashPasswords, type PasswordHasher } from './password-hash.ts';
import type { LiveSession, Sessions } from './sessions.ts';
import type { Site } from './site.ts';
import { standingsIn } from './standing.ts';
import type { Throttle } from './throttle.ts';
import { sha256 } from './tokens.ts';

/** What every way to sign in stands on. */
export interface SignInParts {
  readonly database: Database;
  readonly clock: Clock;
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly hasher: PasswordHasher;
  /** `deriveChallengeKey` of the installation's secret key. */
  readonly challengeKey: KeyObject;
  /** `deriveSignInKey` of it. */
  readonly sealingKey: SecretsKey;
  readonly issuers: Issuers;
  /** As floe.yaml says it now. */
  readonly auth: () => FloeConfig['auth'];
  readonly site: () => Site;
}

/** The browser that asks. */
export interface Browser {
  readonly address: string;
  readonly agent: string;
  /** Value of the session cookie it sent, good or not; null for none. */
  readonly token: string | null;
}

/** Whatever was wrong: who tries does not learn which part. */
export const FAILED = 'E-mail or password is not right.';

export function failed(message = FAILED): Fault {
  return new Fault('sign_in_failed', message);
}

/**
 * A transaction whose entries in the audit log say where they came from: the browser's address, and its session where it had
 * one.
 */
export function changeFrom<T>(
  { database }: Pick<SignInParts, 'database'>,
  { address }: Browser,
  live: Pick<LiveSession, 'id'> | null,
  work: (writer: Writer) => Promise<T>,
): Promise<T> {
  return database.transaction((writer) => {
    noteOrigin(writer, { address, sessionId: live?.id ?? null });
    return work(writer);
  });
}

/** What is switched on and possible here. */
export function methodsOf({ auth, site }: Pick<SignInParts, 'auth' | 'site'>) {
  const { password, passkey, oidc } = auth();
  return {
    password: password && canHashPasswords(),
    passkey: passkey && site().passkeys !== null,
    oidc: oidc.map(({ name }) => ({ name })),
  };
}

/** Somebody who showed who they are. */
export interface Shown {
  readonly userId: string;
  readonly method: SignInMethod;
  /** Name of the issuer that says so. */
  readonly issuer?: string;
  /** The passkey that they showed. */
  readonly passkeyId?: string;
  /** Of several, the org they shall begin in; else the one they have belonged to longest. */
  readonly orgId?: string;
  /** They did so just now, not some time ago at another server. */
  readonly isFresh: boolean;
}

/**
 * Begins the session of somebody who showed who they are, inside `writer`'s transaction; ends the one the browser had.
 * Returns the value of the new cookie: it is another one at each sign-in, so that nobody can set it before (fixation).
 *
 * @throws Fault `sign_in_failed` when they belong to no org
 */
export async function admit(
  parts: SignInParts,
  writer: Writer,
  shown: Shown,
  browser: Browser,
): Promise<string> {
  const issuer = shown.issuer ?? null;
  const standings = standingsIn(await standingOf(writer, shown.userId, issuer), issuer);
  const at = standings.find(({ org }) => org.id === shown.orgId) ?? standings[0];
  if (!at) throw failed('Your account belongs to no organization here. Ask an owner to invite you.');
  if (browser.token !== null) await deleteSessionByToken(writer, sha256(browser.token));
  const { id, token } = await parts.sessions.begin(writer, {
    userId: shown.userId,
    at,
    method: shown.method,
    issuer: shown.issuer,
    passkeyId: shown.passkeyId,
    address: browser.address,
    agent: browser.agent,
    steppedUp: shown.isFresh,
  });
  noteOrigin(writer, { address: browser.address, sessionId: id });
  await recordSignIn(writer, parts.clock, {
    orgId: at.org.id,
    actor: at.memberId,
    action: 'sessions.create',
    subject: id,
    after: {
      method: shown.method,
      ...(shown.issuer !== undefined && { issuer: shown.issuer }),
      address: browser.address,
      agent: browser.agent.slice(0, 200),
    },
  });
  return token;
}
