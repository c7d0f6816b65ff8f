import type { JsonObject } from '@floe/contract/json';
import type * as z from 'zod';
import type { ListRequest, Page } from '../../store/pages.ts';
import type { Reader } from '../../store/ports.ts';
import type { Description, Writing } from '../verb-definition.ts';

/** What requests and answers about one kind look like. */
export interface Shapes<
  View extends JsonObject,
  Creation extends z.ZodType,
  Change extends z.ZodType,
  Replacement extends z.ZodType,
> {
  readonly answer: z.ZodType<unknown, View>;
  readonly creation: Creation;
  /** Absent fields stay; null clears. */
  readonly change: Change;
  /** What `GET` returned is accepted; absent settings return to their default. */
  readonly replacement: Replacement;
  /** Of `PUT`, where an id that is new must be a good one. */
  readonly replaceParams?: z.ZodObject<{ id: z.ZodType<string, string> }>;
}

/** Where objects of a kind are found. */
export interface StoredKind<Row> {
  find(reader: Reader, orgId: string, id: string): Promise<Row | undefined>;
  /** Message of the 404. */
  readonly unknown: string;
  /** @throws Fault `managed_by_file`. Absent for a kind that floe.yaml does not have. */
  mustBeChangeable?(row: Row): void;
}

/** How objects of a kind are written and shown. */
export interface WrittenKind<Row, Config, View extends JsonObject> extends StoredKind<Row> {
  view(row: Row): View;
  /** As the audit log keeps it. */
  shown(row: Row): JsonObject;
  /** What the audit log calls it. */
  subjectOf(row: Row): string;
  /** @throws Fault `conflict` when its name is taken */
  insert(context: Writing, config: Config): Promise<Row>;
  /** Null when the object is so already. */
  update(context: Writing, row: Row, config: Config): Promise<Row | null>;
  remove(context: Writing, row: Row): Promise<void>;
}

/**
 * A kind of object that an org has, in a table of its own. The six operations of the API, their audit entries, ETags and
 * answers follow from it (`verbs.ts`).
 */
export interface ResourceKind<
  Row,
  Config,
  View extends JsonObject,
  Creation extends z.ZodType,
  Change extends z.ZodType,
  Replacement extends z.ZodType,
> extends WrittenKind<Row, Config, View> {
  /** Subject of the operations and of the audit actions. */
  readonly kind: string;
  readonly path: `/api/${string}`;
  readonly scope: Description['scope'];
  /** Fields of the answer that change by themselves: no part of its ETag. */
  readonly live?: readonly string[];
  readonly summaries: Readonly<Record<'list' | 'create' | 'get' | 'update' | 'replace' | 'delete', string>>;
  readonly shapes: Shapes<View, Creation, Change, Replacement>;
  page(reader: Reader, request: ListRequest): Promise<Page<Row>>;
  /** What a request makes of an object: the whole of it, checked. */
  created(context: Writing, body: z.output<Creation>): Promise<Config> | Config;
  changed(context: Writing, row: Row, body: z.output<Change>): Promise<Config> | Config;
  replaced(
    context: Writing,
    row: Row | null,
    id: string,
    body: z.output<Replacement>,
  ): Promise<Config> | Config;
}
