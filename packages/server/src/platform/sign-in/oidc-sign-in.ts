import { newId } from '../../core/ids.ts';
import { identityOf, insertIdentity } from '../../store/identities.ts';
import { insertUser, membershipsOf, userByEmail } from '../../store/members.ts';
import type { Writer } from '../../store/ports.ts';
import { spendToken } from '../../store/spent-tokens.ts';
import { placeByGroups } from '../place-by-groups.ts';
import { recordFailure } from './audit.ts';
import { FLOW_MS, finishFlow, issuerNamed, type OidcPerson, OidcRefused, openFlow } from './oidc-flow.ts';
import { type GivenPlace, placePerson } from './place-person.ts';
import { countsIn } from './session-rules.ts';
import { STEP_UP_MS } from './sessions.ts';
import { admit, type Browser, type SignInParts } from './sign-in.ts';
import { sha256 } from './tokens.ts';

/** What came back with the browser. */
export interface OidcAnswer {
  /** Query of the callback. */
  readonly query: Readonly<Record<string, string>>;
  /** What the browser kept. */
  readonly sealed: string | null;
}

/**
 * Ends a sign-in by an issuer; returns the value of the cookie and where the person wanted to go.
 *
 * @throws OidcRefused; Fault `not_found`, `too_many_tries`
 */
export async function signInByOidc(
  parts: SignInParts,
  name: string,
  answer: OidcAnswer,
  browser: Browser,
): Promise<{ readonly token: string; readonly returnTo: string }> {
  const { database, clock, throttle } = parts;
  const oidc = issuerNamed(parts, name);
  const trier = { account: null, address: browser.address };
  const taken = await throttle.take(trier);
  try {
    const kept = openFlow(parts, name, answer.sealed);
    // Used up before the code is: of two at once one goes on.
    const isFirst = await database.transaction((writer) =>
      spendToken(writer, sha256(kept.state), clock.now() + FLOW_MS),
    );
    if (!isFirst) throw new OidcRefused('expired', 'this answer of the issuer was used before');
    const person = await finishFlow(parts, oidc, kept, answer.query);
    const places = placeByGroups(oidc, person.groups);
    // Whoever confirms who they are stays in the org they were in.
    const orgId = (await parts.sessions.find(browser.token ?? ''))?.here.org.id;
    const token = await database.transaction(async (writer) => {
      const userId = await userOf(parts, writer, person, places);
      await placePerson(parts, writer, { userId, issuer: name }, places);
      await database.signals.announce(writer);
      // Committed all the same: who lost their last group is out at once.
      const memberships = await membershipsOf(writer, userId);
      if (!memberships.some((membership) => countsIn({ issuer: name }, membership))) return null;
      await throttle.forgive(writer, trier, taken);
      const isFresh = person.shownAt !== null && clock.now() - person.shownAt < STEP_UP_MS;
      return admit(
        parts,
        writer,
        { userId, method: 'oidc', issuer: name, isFresh, ...(orgId !== undefined && { orgId }) },
        browser,
      );
    });
    parts.sessions.forget();
    if (token === null) throw unmapped();
    return { token, returnTo: kept.return_to };
  } catch (error) {
    const told = { method: `oidc ${name}`, address: browser.address, paused_ms: taken.pausedMs };
    await database.transaction((writer) => recordFailure(writer, clock, null, told));
    throw error;
  }
}

/**
 * Who the person is here: known from before, else the account with their address, else a new one. An account is only
 * joined to an issuer's person when the issuer vouches for the address; else whoever can write any address there could
 * take over any account here.
 */
async function userOf(
  { clock }: SignInParts,
  writer: Writer,
  person: OidcPerson,
  places: readonly GivenPlace[],
): Promise<string> {
  const { issuer, subject, email, isVerified } = person;
  const now = clock.now();
  const known = await identityOf(writer, issuer, subject);
  if (known) return known.user_id;
  if (email === null) throw new OidcRefused('email', 'the issuer told no e-mail address');
  const user = await userByEmail(writer, email);
  if (user && !isVerified)
    throw new OidcRefused(
      'email',
      'an account has this e-mail address, and the issuer does not vouch for it',
    );
  if (!user && places.length === 0) throw unmapped();
  const id = user?.id ?? newId('usr', now);
  if (!user)
    await insertUser(writer, {
      id,
      email,
      name: person.name,
      password_hash: null,
      preferences_json: null,
      created_at: now,
      updated_at: now,
    });
  await insertIdentity(writer, { issuer, subject, user_id: id, created_at: now });
  return id;
}

function unmapped(): OidcRefused {
  return new OidcRefused('not_allowed', 'no group of this person is mapped to an organization');
}
