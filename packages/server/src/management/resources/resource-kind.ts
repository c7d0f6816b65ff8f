import type { FaultCode } from '@floe/contract/faults';
import type { JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import type { Actor } from '../../platform/actor.ts';
import type { Page } from '../../store/pages.ts';
import type { Reader } from '../../store/ports.ts';
import type { Description, Input, NoFields, Reading, Writing } from '../verb-definition.ts';
import type { Topic } from '../verb-host.ts';

/** An object as answers show it; its id is the subject of audit entries. */
export type Answer = JsonObject & { readonly id: string };

/** What requests and answers about one kind look like. */
export interface Shapes<View extends Answer> {
  readonly answer: z.ZodType<unknown, View>;
  /** Query of the list: `listQuery`, with orders and filters of its own. */
  readonly list: z.ZodObject;
  readonly creation: z.ZodType;
  /** Absent fields stay; null clears. */
  readonly change: z.ZodType;
  /** What `GET` returned is accepted; absent settings return to their default. */
  readonly replacement: z.ZodType;
  /** Of `PUT`, where an id that is new must be a good one. */
  readonly replaceParams?: z.ZodObject<{ id: z.ZodType<string, string> }>;
  /** Query of `DELETE`. */
  readonly removal?: z.ZodObject;
}

/** A body, checked and as it came. */
export type Sent<Body extends z.ZodType> = Pick<
  Input<NoFields, NoFields, Body>,
  'body' | 'sent' | 'idempotencyKey'
>;

/** Where objects of a kind are found. */
export interface StoredKind<Row> {
  find(reader: Reader, orgId: string, id: string): Promise<Row | undefined>;
  /** Whether it is there for somebody. Absent: every object of an org is there for all of its members and keys. */
  mayRead?(row: Row, actor: Actor): boolean;
  /** Message of the 404. */
  readonly unknown: string;
  /** Absent: `not_found`. */
  readonly unknownCode?: FaultCode;
  /** @throws Fault `managed_by_file`, and for an actor who may change others of the kind only */
  mustBeChangeable?(row: Row, actor: Actor): void;
}

/** How objects of a kind are written and shown. */
export interface WrittenKind<Row, Config, View extends Answer> extends StoredKind<Row> {
  view(row: Row, context: Reading): Promise<View> | View;
  /** As the audit log keeps it; null for what is not stored. Absent: as the answer shows it. */
  shown?(view: View, row: Row): JsonObject | null;
  /**
   * Whether a change lets more money through, for which members say why and confirm who they are; `config` is null for a
   * removal. With it, bodies and the query of `DELETE` have a `reason`.
   */
  raises?(row: Row, config: Config | null): boolean;
  /** @throws Fault `conflict` when its name is taken */
  insert(context: Writing, config: Config): Promise<Row>;
  /** Null when the object is so already. */
  update(context: Writing, row: Row, config: Config): Promise<Row | null>;
  /** Resolves to false when the object is removed already. */
  remove(context: Writing, row: Row): Promise<unknown>;
}

/** What only the answer to a creation shows, such as the value of a key. */
export interface ShownOnce<Config> {
  readonly answer: z.ZodType<unknown, JsonObject>;
  of(config: Config): JsonObject;
}

/**
 * A kind of object that an org has, wherever it is stored. The six operations of the API, their audit entries, ETags and
 * answers follow from it (`verbs.ts`).
 */
export interface ResourceKind<Row, Config, View extends Answer, S extends Shapes<View>>
  extends WrittenKind<Row, Config, View> {
  /** Subject of the operations and of the audit actions. */
  readonly kind: string;
  readonly path: `/api/${string}`;
  readonly scope: Description['scope'];
  /** Roles of members who may change objects. Absent: those whose scopes allow it. */
  readonly roles?: Description['roles'];
  /** What `DELETE` is called where it keeps objects for their history, as `revoke`. Absent: `delete`, which removes. */
  readonly removal?: string;
  /** With it, a repeated `Idempotency-Key` is the affair of `created`. */
  readonly shownOnce?: ShownOnce<Config>;
  /** Waited for before the transaction of a change. */
  before?(): Promise<unknown>;
  /** Part of the running snapshot that holds it. */
  readonly changes?: Topic;
  /** Fields of the answer that change by themselves: no part of its ETag. */
  readonly live?: readonly string[];
  readonly summaries: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'replace' | 'delete', string>>;
  readonly shapes: S;
  page(context: Reading, query: z.output<S['list']>): Promise<Page<Row>>;
  /** What a request makes of an object: the whole of it, checked. */
  created(context: Writing, sent: Sent<S['creation']>): Promise<Config> | Config;
  changed(context: Writing, row: Row, sent: Sent<S['change']>): Promise<Config> | Config;
  replaced(
    context: Writing,
    row: Row | null,
    id: string,
    sent: Sent<S['replacement']>,
  ): Promise<Config> | Config;
}
