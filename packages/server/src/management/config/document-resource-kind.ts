import type { OrgConfig } from '@floe/contract/config';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import type { StoredResourceKind } from '../../platform/config-file-resource-kind.ts';
import type { DeclaredResourceKind } from '../../platform/declared-resources.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';
import { castToJson } from '../validate-input.ts';
import type { ConfigDependencies } from './config-dependencies.ts';
import type { ConfigDocument } from './config-document.ts';
import type { SecretPlaceholders } from './secret-placeholders.ts';

/** The organization whose resources are read, and what is needed to read them. */
export interface OrgReadContext {
  readonly reader: DatabaseReader;
  readonly orgId: string;
  readonly dependencies: ConfigDependencies;
  readonly nowMs: number;
  /** Names of keys to which limits and budgets refer. An export contains these keys even after they have expired. */
  readonly namedKeys?: ReadonlySet<string>;
}

/** An existing resource in an organization, regardless of its source. */
export interface ExistingResource {
  /** Its name in documents. */
  readonly id: string;
  /** Its id in the API, if it differs from `id`. */
  readonly apiId?: string;
  /** `file`, `console`, or `environment` for a resource that the process environment defines. */
  readonly source: string;
  /** Identifies the matching document entry if entries do not match by id. */
  readonly matchKey?: string;
  /**
   * Returns its entry, which becomes an entry of floe.yaml by `placeholders.insertInto`. Null for an
   * expired key that is not exported.
   */
  toEntry(placeholders: SecretPlaceholders): object | null;
}

/** One resource in a document, and the operation that applies it. */
export interface ConfigStep {
  readonly kind: string;
  readonly id: string;
  readonly operation: string;
  readonly params: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
  /** The entry of the document, for a kind that is a list. */
  readonly entry?: object;
}

/**
 * How a kind of resource is represented in a configuration document, and how the existing resources of this
 * kind are listed.
 */
export interface DocumentResourceKind
  extends Pick<DocumentListOptions<object>, 'isOrdered' | 'isNeverPruned' | 'acceptsReason'> {
  readonly kind: string;
  readonly isReferenced?: boolean;
  /** Path of its list in the org section. Empty for a kind that is not a list. */
  readonly section: readonly string[];
  /** Converts the resources of a document to steps. */
  buildSteps(document: ConfigDocument, reading: OrgReadContext): Promise<ConfigStep[]>;
  /** The entries of a document, by the ids of their steps. */
  entries(org: OrgConfig, orgId: string): ReadonlyMap<string, object>;
  /** Lists the existing resources in export order. Absent if the kind has no resources of its own. */
  listExisting?(reading: OrgReadContext): Promise<readonly ExistingResource[]>;
}

/** Options of a list that differs from the default. */
interface DocumentListOptions<Config> {
  /** The order of the list is significant. */
  readonly isOrdered?: boolean;
  /** Pruning does not remove these resources. */
  readonly isNeverPruned?: boolean;
  /** Its operations accept a reason for the audit log. */
  readonly acceptsReason?: boolean;
  /** Absent: the operation that replaces a resource. */
  readonly operation?: string;
  /**
   * Builds the request body of the operation. If absent, the body is the entry without the omitted secrets.
   * @param isEmptied whether the document sets a field of the entry to an empty map
   */
  toBody?(config: Config, keeps: IsStoredSecretRetained, isEmptied: (field: string) => boolean): object;
  /** The list is sorted by name. Otherwise it has the order of the store. */
  readonly isSortedByName?: boolean;
  /** Returns a value that is equal for entries of the same resource. Absent: their name. */
  matchKeyOf?(config: Config): string;
}

/**
 * Returns whether an entry omits the value of a secret, so that the stored value is kept. The path
 * is relative to the entry.
 */
export type IsStoredSecretRetained = (...path: readonly (string | number)[]) => boolean;

/** Defines how a configuration document contains a kind of resource: as a list with one entry per resource. */
export function defineDocumentListResourceKind<Config extends object>(
  { kind, section = [kind], list, nameOf, isReferenced = false }: DeclaredResourceKind<Config>,
  options: DocumentListOptions<Config>,
  listExisting: (reading: OrgReadContext) => Promise<readonly ExistingResource[]>,
): DocumentResourceKind {
  const { isOrdered, matchKeyOf, operation = `${kind}.replace` } = options;
  return {
    ...options,
    kind,
    isReferenced,
    section,
    listExisting,
    entries: (org) => new Map(list(org).map((config) => [nameOf(config), config])),
    async buildSteps(document, reading) {
      const configs = list(document.org);
      const ids = await assignStepIds(configs, { nameOf, matchKeyOf }, () => listExisting(reading));
      return configs.map((config, at) => {
        const id = ids[at] ?? nameOf(config);
        const isSecretKept: IsStoredSecretRetained = (...path) =>
          document.keepsSecret(...section, at, ...path);
        const isEmptied = (field: string) => document.isSet(...section, at, field);
        const body =
          options.toBody?.(config, isSecretKept, isEmptied) ?? omitRetainedSecrets(config, isSecretKept);
        const position = isOrdered ? { position: at } : {};
        return {
          kind,
          id,
          operation,
          params: { id },
          body: toPlainJson({ ...body, ...position }),
          entry: config,
        };
      });
    },
  };
}

/**
 * Returns the ids of the steps for the entries of a list. Entries that match by a key get the id of their existing
 * resource. Other entries get their names. If rules without a name have the same subject, a number follows.
 */
async function assignStepIds<Config>(
  configs: readonly Config[],
  naming: {
    readonly nameOf: (config: Config) => string;
    readonly matchKeyOf: ((config: Config) => string) | undefined;
  },
  listExisting: () => Promise<readonly ExistingResource[]>,
): Promise<string[]> {
  const { nameOf, matchKeyOf } = naming;
  if (!matchKeyOf) return configs.map(nameOf);
  const existing = new Map((await listExisting()).map(({ matchKey, id }) => [matchKey, id]));
  const matched = configs.map((config) => existing.get(matchKeyOf(config)));
  const taken = new Set(matched);
  return configs.map((config, at) => {
    const known = matched[at];
    if (known !== undefined) return known;
    const name = nameOf(config);
    let id = name;
    for (let number = 2; taken.has(id); number++) id = `${name}-${number}`;
    taken.add(id);
    return id;
  });
}

interface DocumentResourceRow {
  readonly id: string;
  readonly org_id: string;
  readonly source: string;
}

interface StoredDocumentListOptions<Config, Row> extends DocumentListOptions<Config> {
  /** Returns the rows that a document can contain. Absent: all. */
  select?(rows: readonly Row[]): readonly Row[];
}

/**
 * Defines how a configuration document contains a kind of resource that is stored in rows of one table.
 * @param toEntry converts a row to its floe.yaml entry
 */
export function defineStoredDocumentResourceKind<Config extends object, Row extends DocumentResourceRow>(
  kind: StoredResourceKind<Config, Row>,
  toEntry: (row: Row, placeholders: SecretPlaceholders, reading: OrgReadContext) => object | null,
  { select, ...options }: StoredDocumentListOptions<Config, Row> = {},
): DocumentResourceKind {
  return defineDocumentListResourceKind(kind, options, async (reading) => {
    const { reader, orgId } = reading;
    const rows = await kind.stored(reader, [orgId]);
    const own = rows.filter((row) => row.org_id === orgId && !kind.isRemoved?.(row));
    const objects = (select?.(own) ?? own).map((row) => ({
      id: kind.storedName(row),
      apiId: row.id,
      source: row.source,
      toEntry: (placeholders: SecretPlaceholders) => toEntry(row, placeholders, reading),
    }));
    return options.isSortedByName ? objects.sort((one, other) => (one.id < other.id ? -1 : 1)) : objects;
  });
}

/** Returns a copy without the secrets whose stored values are kept. */
export function omitRetainedSecrets(fields: object, isSecretKept: IsStoredSecretRetained): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !isSecretKept(name)));
}

/** Converts a value to the JSON that a client would send, without undefined values. */
export function toPlainJson(value: object): JsonObject {
  const json = castToJson(JSON.parse(JSON.stringify(value)));
  return isJsonObject(json) ? json : {};
}
