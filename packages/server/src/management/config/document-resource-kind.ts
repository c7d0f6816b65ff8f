import type { OrgConfig } from '@floe/contract/config';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { ListedResourceKind } from '../../platform/declared-resources.ts';
import type { StoredResourceKind } from '../../platform/file-sync.ts';
import type { DatabaseReader } from '../../store/ports.ts';
import { castToJson } from '../validate-input.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import type { ConfigDocument } from './config-document.ts';
import type { SecretPlaceholders } from './secret-placeholders.ts';

/** Whose objects are read, and from where. */
export interface OrgReadContext {
  readonly reader: DatabaseReader;
  readonly orgId: string;
  readonly dependencies: ConfigDependencies;
  readonly nowMs: number;
}

/** An object that an org has, wherever it was made. */
export interface ExistingResource {
  /** As documents name it. */
  readonly id: string;
  /** As the API names it, where that is another name. */
  readonly apiId?: string;
  /** `file`, `console`, or `environment` for what the process gives. */
  readonly source: string;
  /** Equal for an entry of a document that means this object, where that is not its id. */
  readonly matchKey?: string;
  /** As floe.yaml says it. Null for what it does not say: a key that expired, a channel that is disabled. */
  toEntry(placeholders: SecretPlaceholders): object | null;
}

/** One object of a document, and the verb that brings it about. */
export interface ConfigStep {
  readonly kind: string;
  readonly id: string;
  readonly verb: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
}

/** A part of a document: what it says, and what an org has of it. */
export interface DocumentResourceKind
  extends Pick<DocumentListOptions<object>, 'isOrdered' | 'isNeverPruned' | 'acceptsReason'> {
  readonly kind: string;
  readonly isReferenced?: boolean;
  /** Its list in an org of the document; none for what is no list. */
  readonly section: readonly string[];
  /** What a document says of it, as verbs. */
  buildSteps(document: ConfigDocument, reading: OrgReadContext): Promise<ConfigStep[]>;
  /** What a document says of it, by the ids of its steps. */
  entries(org: OrgConfig, orgId: string): ReadonlyMap<string, object>;
  /** What an org has of it, in the order of an export. Absent where that is nothing of its own. */
  listExisting?(reading: OrgReadContext): Promise<readonly ExistingResource[]>;
}

/** What a document does with a list otherwise than usual. */
interface DocumentListOptions<Config> {
  /** The order of the list counts. */
  readonly isOrdered?: boolean;
  /** Prune leaves it alone. */
  readonly isNeverPruned?: boolean;
  /** Its verbs take a reason for the audit log. */
  readonly acceptsReason?: boolean;
  /** Absent: the verb that replaces an object. */
  readonly verb?: string;
  /** What the verb is sent. Absent: the entry, without secrets that stay as they are stored. */
  toBody?(config: Config, keeps: IsSecretKept): object;
  /** Listed by name, where the store has another order. */
  readonly isSortedByName?: boolean;
  /** What two entries have in common that mean the same object. Absent: their name. */
  matchKeyOf?(config: Config): string;
}

/** Whether a secret of an entry, by its path there, stays as it is stored. */
export type IsSecretKept = (...path: readonly (string | number)[]) => boolean;

export function defineListKind<Config extends object>(
  { kind, section = [kind], list, nameOf, isReferenced = false }: ListedResourceKind<Config>,
  options: DocumentListOptions<Config>,
  listExisting: (reading: OrgReadContext) => Promise<readonly ExistingResource[]>,
): DocumentResourceKind {
  const { isOrdered, matchKeyOf, verb = `${kind}.replace` } = options;
  return {
    ...options,
    kind,
    isReferenced,
    section,
    listExisting,
    entries: (org) => new Map(list(org).map((config) => [nameOf(config), config])),
    async buildSteps(document, reading) {
      const known = matchKeyOf ? await listExisting(reading) : [];
      const ids = new Map(known.map(({ matchKey, id }) => [matchKey, id]));
      return list(document.org).map((config, at) => {
        const id = (matchKeyOf && ids.get(matchKeyOf(config))) ?? nameOf(config);
        const isSecretKept: IsSecretKept = (...path) => document.keepsSecret(...section, at, ...path);
        const body = options.toBody?.(config, isSecretKept) ?? omitKeptSecrets(config, isSecretKept);
        const position = isOrdered ? { position: at } : {};
        return { kind, id, verb, params: { id }, body: toPlainJson({ ...body, ...position }) };
      });
    },
  };
}

interface DocumentResourceRow {
  readonly id: string;
  readonly org_id: string;
  readonly source: string;
}

/** A list whose objects are all stored. @param toEntry a row as floe.yaml says it */
export function defineStoredListKind<Config extends object, Row extends DocumentResourceRow>(
  kind: StoredResourceKind<Config, Row>,
  toEntry: (row: Row, placeholders: SecretPlaceholders, reading: OrgReadContext) => object | null,
  options: DocumentListOptions<Config> = {},
): DocumentResourceKind {
  return defineListKind(kind, options, async (reading) => {
    const { reader, orgId } = reading;
    const rows = await kind.stored(reader, orgId);
    const objects = rows
      .filter((row) => row.org_id === orgId && !kind.isRemoved?.(row))
      .map((row) => ({
        id: kind.storedName(row),
        apiId: row.id,
        source: row.source,
        toEntry: (placeholders: SecretPlaceholders) => toEntry(row, placeholders, reading),
      }));
    return options.isSortedByName ? objects.sort((one, other) => (one.id < other.id ? -1 : 1)) : objects;
  });
}

export function omitKeptSecrets(fields: object, isSecretKept: IsSecretKept): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isSecretKept(name)));
}

/** As a client would send it: without what is undefined. */
export function toPlainJson(value: object): JsonObject {
  const json = castToJson(JSON.parse(JSON.stringify(value)));
  return isObject(json) ? json : {};
}
