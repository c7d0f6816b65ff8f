import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { createId } from '../../core/ids.ts';
import { deleteMemberRoleGrants, undoMemberRemoval } from '../../store/member-role-grants.ts';
import {
  findMemberByUserId,
  findUserByEmail,
  hasAnyOrgOwner,
  insertMember,
  insertUser,
  listMembershipsOfUser,
  updateMember,
  updateUser,
} from '../../store/members.ts';
import { insertOperator, isOperator } from '../../store/operators.ts';
import { findOrgById, listOrgs } from '../../store/orgs.ts';
import { getSetting, storeSetting } from '../../store/settings.ts';
import type { DatabaseReader, DatabaseWriter } from '../../store/store-interfaces.ts';
import { OWNER_LINK_SETTING } from '../bootstrap.ts';
import { replaceAccountCredentials } from './account-credentials.ts';
import { auditAccountEvent } from './audit-account-event.ts';
import { hashNewPassword } from './password-policy.ts';
import { isSessionStored } from './session-changes.ts';
import {
  type BrowserRequest,
  runAuditedTransaction,
  type SignInContext,
  startConsoleSession,
} from './sign-in-context.ts';
import { computeSha256Hex, generateSecretToken } from './tokens.ts';

const OWNER_LINK_TTL_MS = 24 * 60 * 60_000;

interface OwnerLink {
  readonly sha256: string;
  readonly org_id: string;
  readonly expires_at: number;
  readonly used_at?: number;
  /**
   * Whether the link also makes the user an operator, and may replace the credentials of any account. Only links
   * that were created on the host can do this.
   */
  readonly operator?: boolean;
}

/**
 * Creates a one-time link that makes the person who uses it an owner of the organization. Returns the
 * token of the link. An earlier link stops working. If `operator` is set or there is only one organization,
 * the person also becomes an operator.
 *
 * @throws Fault `not_found` if the organization does not exist, or if there are several and none is
 * specified
 */
export async function createOwnerLink(
  writer: DatabaseWriter,
  clock: Clock,
  orgId: string | undefined,
  operator = false,
): Promise<string> {
  const orgs = await listOrgs(writer);
  const org = orgId === undefined && orgs.length === 1 ? orgs[0] : orgs.find(({ id }) => id === orgId);
  if (!org)
    throw new Fault(
      'not_found',
      orgs.length === 0
        ? 'There is no organization yet. Start the server once. The server creates the organizations that floe.yaml defines, or a first organization if floe.yaml is missing or defines none.'
        : `${orgId === undefined ? 'There is more than one organization' : `There is no organization "${orgId}"`}. Specify one of these organizations: ${orgs.map(({ id }) => id).join(', ')}.`,
    );
  const token = generateSecretToken();
  const link: OwnerLink = {
    sha256: computeSha256Hex(token),
    org_id: org.id,
    expires_at: clock.now() + OWNER_LINK_TTL_MS,
    operator: operator || orgs.length === 1,
  };
  await storeSetting(writer, OWNER_LINK_SETTING, JSON.stringify(link));
  await auditAccountEvent(writer, clock, {
    orgId: org.id,
    actor: 'cli',
    action: 'owner_link.create',
    subject: org.id,
    after: { operator: link.operator ?? false },
  });
  return token;
}

/**
 * Redeems the one-time owner link: makes the user an owner with the given password, and signs the user in. If
 * the account exists, the password replaces all of its credentials. An owner who has lost the password can
 * therefore regain access, and no one can sign in with the old credentials.
 * @throws Fault `link_expired` if the link is used, expired or unknown; `invalid_request` for an
 * unacceptable password; `conflict` for an account that belongs to other organizations, unless the
 * link makes operators
 */
export async function redeemOwnerLink(
  context: SignInContext,
  given: {
    readonly token: string;
    readonly email: string;
    readonly name: string;
    readonly password?: string | undefined;
  },
  browser: BrowserRequest,
): Promise<string> {
  const { database, clock, sessions } = context;
  // Checked before the slow hash, and again in the transaction that consumes the link.
  await requireUsableLink(database.read, clock, given.token);
  const { email } = given;
  const hash = await hashNewPassword(context, given.password, email);
  const live = browser.token === null ? null : await sessions.find(browser.token);
  const token = await runAuditedTransaction(context, browser, live, async (writer) => {
    const link = await requireUsableLink(writer, clock, given.token);
    await storeSetting(writer, OWNER_LINK_SETTING, JSON.stringify({ ...link, used_at: clock.now() }));
    const person = {
      email,
      name: given.name,
      hash,
      isProven:
        live?.hasAllRoles === true && live.user.email === email && (await isSessionStored(writer, live)),
    };
    const userId = await upsertOwner(writer, clock, link, person);
    await database.signals.announce(writer);
    return startConsoleSession(
      context,
      writer,
      { userId, method: 'setup', orgId: link.org_id, isFresh: true },
      browser,
    );
  });
  sessions.clearCache();
  return token;
}

/** Returns whether an owner link exists that can still be used. */
export async function hasUsableOwnerLink(reader: DatabaseReader, clock: Clock): Promise<boolean> {
  const link = parseOwnerLink(await getSetting(reader, OWNER_LINK_SETTING));
  return link !== null && link.used_at === undefined && clock.now() < link.expires_at;
}

/**
 * Returns the data for the page that an owner link opens. The person who uses the link becomes an
 * owner of the organization.
 * @throws Fault `link_expired` if the link has already been used, has expired or is unknown
 */
export async function previewOwnerLink({ database, clock }: SignInContext, token: string) {
  const link = await requireUsableLink(database.read, clock, token);
  const org = await findOrgById(database.read, link.org_id);
  return {
    org: { id: link.org_id, name: org?.name ?? link.org_id },
    isFirst: !(await hasAnyOrgOwner(database.read)),
    expiresAt: link.expires_at,
  };
}

async function requireUsableLink(reader: DatabaseReader, clock: Clock, token: string): Promise<OwnerLink> {
  const link = parseOwnerLink(await getSetting(reader, OWNER_LINK_SETTING));
  if (link?.sha256 !== computeSha256Hex(token) || !(await findOrgById(reader, link.org_id)))
    throw linkFault('This link is not valid, or a newer link has replaced it.');
  if (link.used_at !== undefined)
    throw linkFault(`This link was used at ${new Date(link.used_at).toISOString()}.`);
  if (clock.now() >= link.expires_at)
    throw linkFault(`This link expired at ${new Date(link.expires_at).toISOString()}.`);
  return link;
}

function linkFault(what: string): Fault {
  return new Fault(
    'link_expired',
    `${what} If you have an account, sign in. Otherwise, ask an operator to run "floe owner-link" on the server to create a new link.`,
  );
}

/** Only this file and `bootstrap.ts` write the value. */
function parseOwnerLink(text: string | undefined): OwnerLink | null {
  return text === undefined ? null : JSON.parse(text);
}

interface NewOwner {
  readonly email: string;
  readonly name: string;
  readonly hash: string | null;
  /** Whether the user is signed in to the account with this address. */
  readonly isProven: boolean;
}

async function upsertOwner(
  writer: DatabaseWriter,
  clock: Clock,
  link: OwnerLink,
  person: NewOwner,
): Promise<string> {
  const now = clock.now();
  const orgId = link.org_id;
  const isFirst = !(await hasAnyOrgOwner(writer));
  const userId = await upsertAccount(writer, clock, link, person);
  const member = await findMemberByUserId(writer, orgId, userId);
  const id = member?.id ?? createId('mem', now);
  const owner = { role: 'owner', source: 'setup', updated_at: now, updated_by: 'setup' };
  await deleteMemberRoleGrants(writer, orgId, userId);
  await undoMemberRemoval(writer, orgId, userId);
  if (member) await updateMember(writer, orgId, id, owner);
  else
    await insertMember(writer, { id, org_id: orgId, user_id: userId, team: null, created_at: now, ...owner });
  const operator = (link.operator ?? false) || isFirst;
  if (operator) await insertOperator(writer, { user_id: userId, granted_at: now, granted_by: 'setup' });
  await auditAccountEvent(writer, clock, {
    orgId,
    actor: 'setup',
    action: member ? 'members.update' : 'members.create',
    subject: id,
    ...(member && { before: { role: member.role } }),
    after: { email: person.email, role: 'owner', ...(operator && { operator }) },
  });
  return userId;
}

/** @throws Fault `conflict` for an account whose credentials the link must not replace */
async function upsertAccount(
  writer: DatabaseWriter,
  clock: Clock,
  link: OwnerLink,
  { email, name, hash, isProven }: NewOwner,
): Promise<string> {
  const now = clock.now();
  const known = await findUserByEmail(writer, email);
  if (known && isProven) return known.id;
  if (known) {
    if (!link.operator && (await belongsToOtherOrgs(writer, known.id, link.org_id)))
      throw new Fault(
        'conflict',
        `The account ${email} also belongs to other organizations. Sign in to this account, then open the link again.`,
      );
    await replaceAccountCredentials({ clock }, writer, known.id, hash);
    await updateUser(writer, known.id, { name, updated_at: now });
    // The credentials give access to all of the user's organizations.
    for (const { org_id: orgId, id: subject } of await listMembershipsOfUser(writer, known.id))
      await auditAccountEvent(writer, clock, { orgId, actor: 'setup', action: 'password.update', subject });
    return known.id;
  }
  const id = createId('usr', now);
  const times = { created_at: now, updated_at: now };
  await insertUser(writer, { id, email, name, password_hash: hash, preferences_json: null, ...times });
  return id;
}

/** Whether an account belongs to other organizations. */
async function belongsToOtherOrgs(reader: DatabaseReader, userId: string, orgId: string): Promise<boolean> {
  const memberships = await listMembershipsOfUser(reader, userId);
  return memberships.some(({ org_id }) => org_id !== orgId) || (await isOperator(reader, userId));
}
