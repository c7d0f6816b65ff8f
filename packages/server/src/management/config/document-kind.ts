import type { OrgConfig } from '@floe/contract/config';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { ListedKind } from '../../platform/file-org.ts';
import type { StoredListKind } from '../../platform/file-sync.ts';
import type { Reader } from '../../store/ports.ts';
import { asJson } from '../input.ts';
import type { ConfigDocument } from './config-document.ts';
import type { ConfigHost } from './config-host.ts';
import type { Placeholders } from './placeholders.ts';

/** Whose objects are read, and from where. */
export interface OrgReading {
  readonly reader: Reader;
  readonly orgId: string;
  readonly host: ConfigHost;
  readonly nowMs: number;
}

/** An object that an org has, wherever it was made. */
export interface ExistingObject {
  /** As documents name it. */
  readonly id: string;
  /** As the API names it, where that is another name. */
  readonly apiId?: string;
  /** `file`, `console`, or `environment` for what the process gives. */
  readonly source: string;
  /** Equal for an entry of a document that means this object, where that is not its id. */
  readonly meaning?: string;
  /** As floe.yaml says it. Null for what it does not say: a key that expired, a channel that is disabled. */
  entry(placeholders: Placeholders): object | null;
}

/** One object of a document, and the verb that brings it about. */
export interface Step {
  readonly kind: string;
  readonly id: string;
  readonly verb: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
}

/** A part of a document: what it says, and what an org has of it. */
export interface DocumentKind extends Pick<ListOptions<object>, 'isOrdered' | 'isKept' | 'takesReason'> {
  readonly kind: string;
  readonly isNamed?: boolean;
  /** Its list in an org of the document; none for what is no list. */
  readonly section: readonly string[];
  /** What a document says of it, as verbs. */
  steps(document: ConfigDocument, reading: OrgReading): Promise<Step[]>;
  /** What a document says of it, by the ids of its steps. */
  entries(org: OrgConfig, orgId: string): ReadonlyMap<string, object>;
  /** What an org has of it, in the order of an export. Absent where that is nothing of its own. */
  existing?(reading: OrgReading): Promise<readonly ExistingObject[]>;
}

/** What a document does with a list otherwise than usual. */
interface ListOptions<Config> {
  /** The order of the list counts. */
  readonly isOrdered?: boolean;
  /** Prune leaves it alone. */
  readonly isKept?: boolean;
  /** Its verbs take a reason for the audit log. */
  readonly takesReason?: boolean;
  /** Absent: the verb that replaces an object. */
  readonly verb?: string;
  /** What the verb is sent. Absent: the entry, without secrets that stay as they are stored. */
  body?(config: Config, keeps: Keeps): object;
  /** Listed by name, where the store has another order. */
  readonly isSorted?: boolean;
  /** What two entries have in common that mean the same object. Absent: their name. */
  meaningOf?(config: Config): string;
}

/** Whether a secret of an entry, by its path there, stays as it is stored. */
export type Keeps = (...path: readonly (string | number)[]) => boolean;

export function listed<Config extends object>(
  { kind, section = [kind], list, nameOf, isNamed = false }: ListedKind<Config>,
  options: ListOptions<Config>,
  existing: (reading: OrgReading) => Promise<readonly ExistingObject[]>,
): DocumentKind {
  const { isOrdered, meaningOf, verb = `${kind}.replace` } = options;
  return {
    ...options,
    kind,
    isNamed,
    section,
    existing,
    entries: (org) => new Map(list(org).map((config) => [nameOf(config), config])),
    async steps(document, reading) {
      const known = meaningOf ? await existing(reading) : [];
      const ids = new Map(known.map(({ meaning, id }) => [meaning, id]));
      return list(document.org).map((config, at) => {
        const id = (meaningOf && ids.get(meaningOf(config))) ?? nameOf(config);
        const keeps: Keeps = (...path) => document.keeps(...section, at, ...path);
        const body = options.body?.(config, keeps) ?? withoutKept(config, keeps);
        const position = isOrdered ? { position: at } : {};
        return { kind, id, verb, params: { id }, body: plain({ ...body, ...position }) };
      });
    },
  };
}

interface DocumentRow {
  readonly id: string;
  readonly org_id: string;
  readonly source: string;
}

/** A list whose objects are all stored. @param entryOf a row as floe.yaml says it */
export function stored<Config extends object, Row extends DocumentRow>(
  kind: StoredListKind<Config, Row>,
  entryOf: (row: Row, placeholders: Placeholders, reading: OrgReading) => object | null,
  options: ListOptions<Config> = {},
): DocumentKind {
  return listed(kind, options, async (reading) => {
    const { reader, orgId } = reading;
    const rows = await kind.stored(reader, orgId);
    const objects = rows
      .filter((row) => row.org_id === orgId && !kind.isRemoved?.(row))
      .map((row) => ({
        id: kind.storedName(row),
        apiId: row.id,
        source: row.source,
        entry: (placeholders: Placeholders) => entryOf(row, placeholders, reading),
      }));
    return options.isSorted ? objects.sort((one, other) => (one.id < other.id ? -1 : 1)) : objects;
  });
}

export function withoutKept(fields: object, keeps: Keeps): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !keeps(name)));
}

/** As a client would send it: without what is undefined. */
export function plain(value: object): JsonObject {
  const json = asJson(JSON.parse(JSON.stringify(value)));
  return isObject(json) ? json : {};
}
