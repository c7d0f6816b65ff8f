import { Fault } from '@floe/contract/faults';
import type { Clock } from '../../core/clock.ts';
import { toMemberResource } from '../../platform/stored-member.ts';
import { toPlatformKeyResource } from '../../platform/stored-platform-key.ts';
import { type AuditEntryFilters, getAuditEntryPage } from '../../store/audit-entries.ts';
import { listIdentitiesOfUser } from '../../store/identities.ts';
import { findMemberWithUser, findUserById } from '../../store/members.ts';
import { listPasskeysOfUser } from '../../store/passkeys.ts';
import { isUserStillNeeded } from '../../store/people/find-person.ts';
import type { Person } from '../../store/people/person.ts';
import {
  listBudgetAlertsOfPerson,
  listBudgetCountersOfPerson,
  listConsoleSessionsOfPerson,
  listInvitationsOfPerson,
  listMemberRemovalsOfPerson,
  listMemberRoleGrantsOfPerson,
  listPlatformKeysOfPerson,
  listSavedViewsOfPerson,
} from '../../store/people/person-account-rows.ts';
import {
  extractDistinctRelaySessions,
  listRelayRecordIdsOfSession,
  listRelaySessionsOfPerson,
  RELAY_RECORD_TABLES,
  type RelayRecordTable,
  type RelaySessionReference,
} from '../../store/people/person-relay-rows.ts';
import {
  findRelaySession,
  findStoredResponseByRequestId,
  listExchangesAtPositions,
  listRelayRecords,
  listRequestIdsOfPerson,
  listStoredContentIds,
} from '../../store/people/read-person-rows.ts';
import { scanPersonRows } from '../../store/people/scan-person-rows.ts';
import { findStoredBodies } from '../../store/stored-bodies.ts';
import { toAuditEntryResource } from '../audit/audit-entry-resource.ts';
import { readPages } from '../file-download.ts';
import { toRequestDetail } from '../requests/request-resource.ts';
import type { PeopleDependencies } from './people-dependencies.ts';
import {
  formatPersonRecord,
  formatStoredPersonRecord,
  type StoredPersonRecordKind,
} from './person-record.ts';

const AUDIT_ENTRIES_PER_READ = 500;

const KIND_OF_RELAY_TABLE = {
  relay_decisions: 'relay_decision',
  relay_reports: 'relay_report',
  relay_approvals: 'relay_approval',
} as const satisfies Record<RelayRecordTable, StoredPersonRecordKind>;

type ContentTable = 'stored_bodies' | 'stored_responses';

/** Generates the export of one person's data. Keeps at most one batch of rows and one body in memory. */
export class PersonExport {
  readonly #dependencies: Pick<PeopleDependencies, 'database' | 'bodies' | 'openStoredResponse'>;
  readonly #person: Person;
  readonly #clock: Clock;

  constructor(dependencies: PeopleDependencies, person: Person, clock: Clock) {
    this.#dependencies = dependencies;
    this.#person = person;
    this.#clock = clock;
  }

  get #reader() {
    return this.#dependencies.database.read;
  }

  /** Lines of NDJSON. */
  async *generateLines(): AsyncGenerator<string> {
    yield* this.#accountLines();
    yield* this.#requestLines();
    if (this.#person.email !== null) {
      yield* this.#contentWithoutRequestLines('stored_bodies');
      yield* this.#contentWithoutRequestLines('stored_responses');
      yield* this.#ownedRelayLines();
    }
    yield* this.#auditLines();
  }

  async *#accountLines(): AsyncGenerator<string> {
    const person = this.#person;
    const reader = this.#reader;
    const { orgId, userId, memberIds } = person;
    if (userId !== null) {
      const member = await findMemberWithUser(reader, orgId, memberIds[0] ?? '');
      if (member) yield formatPersonRecord('member', toMemberResource(member));
      if (member || !(await isUserStillNeeded(reader, orgId, userId)))
        yield* this.#sharedAccountLines(userId);
      yield* formatAll('member_grant', await listMemberRoleGrantsOfPerson(reader, person));
      yield* formatAll('removed_member', await listMemberRemovalsOfPerson(reader, person));
      yield* formatAll('console_session', await listConsoleSessionsOfPerson(reader, person));
    }
    yield* formatAll('invitation', await listInvitationsOfPerson(reader, person));
    for (const row of await listPlatformKeysOfPerson(reader, person))
      yield formatPersonRecord('key', toPlatformKeyResource(row, this.#clock.now()));
    yield* formatAll('saved_view', await listSavedViewsOfPerson(reader, person));
    yield* formatAll('budget_counter', await listBudgetCountersOfPerson(reader, person));
    yield* formatAll('budget_alert', await listBudgetAlertsOfPerson(reader, person));
  }

  /** What all organizations of the person share. It is not the data of an organization that the person has left. */
  async *#sharedAccountLines(userId: string): AsyncGenerator<string> {
    const reader = this.#reader;
    yield* formatAll('user', [(await findUserById(reader, userId)) ?? []].flat());
    yield* formatAll('identity', await listIdentitiesOfUser(reader, userId));
    yield* formatAll('passkey', await listPasskeysOfUser(reader, userId));
  }

  async *#requestLines(): AsyncGenerator<string> {
    const person = this.#person;
    const exported = new Set<string>();
    for await (const places of scanPersonRows(this.#reader, 'exchanges', person)) {
      const rows = await listExchangesAtPositions(this.#reader, person.orgId, places);
      yield rows.map((row) => formatPersonRecord('request', toRequestDetail(row))).join('');
      const ids = rows.map(({ id }) => id);
      yield* this.#contentLines('stored_bodies', ids);
      yield* this.#contentLines('stored_responses', ids);
      if (person.endUser === null) continue;
      for (const session of extractDistinctRelaySessions(rows)) {
        const name = `${session.keyId}\n${session.sessionId}`;
        if (!exported.has(name)) yield* this.#sessionLines(session);
        exported.add(name);
      }
    }
  }

  async *#contentLines(table: ContentTable, ids: readonly string[]): AsyncGenerator<string> {
    const { orgId } = this.#person;
    for (const id of await listStoredContentIds(this.#reader, table, orgId, ids))
      yield table === 'stored_bodies' ? await this.#bodyLine(id) : await this.#responseLine(id);
  }

  /** Bodies and turns whose request is not stored, or was sent when the key had another owner. */
  async *#contentWithoutRequestLines(table: ContentTable): AsyncGenerator<string> {
    for await (const places of scanPersonRows(this.#reader, table, this.#person)) {
      const known = await listRequestIdsOfPerson(this.#reader, this.#person, places);
      yield* this.#contentLines(
        table,
        places.map(({ id }) => id).filter((id) => !known.has(id)),
      );
    }
  }

  async #bodyLine(id: string): Promise<string> {
    const row = await findStoredBodies(this.#reader, this.#person.orgId, id);
    if (!row) return '';
    const created_at = new Date(row.created_at).toISOString();
    const content = openOrExplain(() => this.#dependencies.bodies.open(row));
    return formatPersonRecord('request_body', { id, created_at, ...content });
  }

  async #responseLine(id: string): Promise<string> {
    const row = await findStoredResponseByRequestId(this.#reader, this.#person.orgId, id);
    if (!row) return '';
    const created_at = new Date(row.created_at).toISOString();
    const content = openOrExplain(() => this.#dependencies.openStoredResponse(row));
    return formatPersonRecord('stored_response', {
      id,
      created_at,
      response_id: row.response_id,
      ...content,
    });
  }

  /** Relay records of one session. */
  async *#sessionLines(session: RelaySessionReference): AsyncGenerator<string> {
    const { orgId } = this.#person;
    for (const table of RELAY_RECORD_TABLES)
      for (let afterId: string | undefined = ''; afterId !== undefined; ) {
        const ids: string[] = await listRelayRecordIdsOfSession(this.#reader, table, orgId, {
          ...session,
          afterId,
        });
        yield* this.#relayLines(table, ids);
        afterId = ids.at(-1);
      }
    const row = await findRelaySession(this.#reader, orgId, session);
    if (row) yield formatStoredPersonRecord('relay_session', row);
  }

  async *#ownedRelayLines(): AsyncGenerator<string> {
    for (const table of RELAY_RECORD_TABLES)
      for await (const places of scanPersonRows(this.#reader, table, this.#person))
        yield* this.#relayLines(
          table,
          places.map(({ id }) => id),
        );
    for (let last: RelaySessionReference | undefined; ; ) {
      const sessions: RelaySessionReference[] = await listRelaySessionsOfPerson(
        this.#reader,
        this.#person,
        last,
      );
      for (const session of sessions) {
        const row = await findRelaySession(this.#reader, this.#person.orgId, session);
        if (row) yield formatStoredPersonRecord('relay_session', row);
      }
      last = sessions.at(-1);
      if (!last) return;
    }
  }

  async *#relayLines(table: RelayRecordTable, ids: readonly string[]): AsyncGenerator<string> {
    if (ids.length === 0) return;
    yield* formatAll(
      KIND_OF_RELAY_TABLE[table],
      await listRelayRecords(this.#reader, table, this.#person.orgId, ids),
    );
  }

  /** What the person did, and changes to their memberships. */
  async *#auditLines(): AsyncGenerator<string> {
    const { memberIds } = this.#person;
    for (const id of memberIds) {
      yield* this.#auditPages({ subject: id }, () => true);
      // Those about the person's memberships are already exported.
      yield* this.#auditPages({ actor: id }, (subject) => !memberIds.includes(subject));
    }
  }

  async *#auditPages(
    filters: AuditEntryFilters,
    accepts: (subject: string) => boolean,
  ): AsyncGenerator<string> {
    const getPage = (cursor?: string) =>
      getAuditEntryPage(this.#reader, {
        orgId: this.#person.orgId,
        limit: AUDIT_ENTRIES_PER_READ,
        ...filters,
        ...(cursor !== undefined && { cursor }),
      });
    for await (const page of readPages(getPage)) {
      const rows = page.filter(({ subject }) => accepts(subject));
      yield rows.map((row) => formatPersonRecord('audit_entry', this.#toOwnAuditEntry(row))).join('');
    }
  }

  /** Resources that the person changed may contain data of others, so the entry omits them. */
  #toOwnAuditEntry(row: Parameters<typeof toAuditEntryResource>[0]) {
    const { before, after, hash: _, ...entry } = toAuditEntryResource(row);
    const isAboutPerson = this.#person.memberIds.includes(row.subject);
    return isAboutPerson ? { ...entry, before, after } : entry;
  }
}

function formatAll(kind: StoredPersonRecordKind, rows: readonly object[]): string[] {
  return rows.map((row) => formatStoredPersonRecord(kind, row));
}

/** One unreadable body must not prevent the export of everything else. */
function openOrExplain(open: () => object): object {
  try {
    return open();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { error: error.message };
  }
}
