import type { OrgConfig } from '@floe/contract/config';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { Reader } from '../../store/ports.ts';
import { asJson } from '../input.ts';
import type { ConfigHost } from './config-host.ts';
import type { ConfigDocument } from './document.ts';
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

interface Traits {
  /** In answers; also the subject of its verbs. */
  readonly kind: string;
  /** The order of its list counts. */
  readonly isOrdered?: boolean;
  /** Others may name one: it is removed after them. */
  readonly isNamed?: boolean;
  /** Its verbs take a reason for the audit log. */
  readonly takesReason?: boolean;
  /** Prune leaves it alone. */
  readonly isKept?: boolean;
}

/** A part of a document: what it says, and what an org has of it. */
export interface DocumentKind extends Traits {
  /** Its section in an org of the document; none where it is no list. */
  readonly section: readonly string[];
  /** What a document says of it, as verbs. */
  steps(document: ConfigDocument, reading: OrgReading): Promise<Step[]>;
  /** What a document says of it, by the ids of its steps. */
  entries(org: OrgConfig, orgId: string): ReadonlyMap<string, object>;
  /** What an org has of it, in the order of an export. */
  existing(reading: OrgReading): Promise<readonly ExistingObject[]>;
}

/** A list of objects in a document. */
export interface ListKind<Config extends object> extends Traits {
  /** Absent: as the kind is called. */
  readonly section?: readonly string[];
  list(org: OrgConfig): readonly Config[];
  nameOf(config: Config): string;
  /** What two entries have in common that mean the same object. Absent: their name. */
  meaningOf?(config: Config): string;
  /** Absent: the one that replaces an object. */
  readonly verb?: string;
  /** What the verb is sent. Absent: the entry, without secrets that stay as they are stored. */
  body?(config: Config, keeps: Keeps): object;
  existing(reading: OrgReading): Promise<readonly ExistingObject[]>;
}

/** Whether a secret of an entry, by its path there, stays as it is stored. */
export type Keeps = (...path: readonly (string | number)[]) => boolean;

export function listKind<Config extends object>(list: ListKind<Config>): DocumentKind {
  const { kind, isOrdered, section = [kind], verb = `${kind}.replace`, nameOf, meaningOf } = list;
  return {
    ...list,
    section,
    entries: (org) => new Map(list.list(org).map((config) => [nameOf(config), config])),
    async steps(document, reading) {
      const existing = meaningOf ? await list.existing(reading) : [];
      const ids = new Map(existing.map(({ meaning, id }) => [meaning, id]));
      return list.list(document.org).map((config, at) => {
        const id = (meaningOf && ids.get(meaningOf(config))) ?? nameOf(config);
        const keeps: Keeps = (...path) => document.keeps(...section, at, ...path);
        const body = list.body?.(config, keeps) ?? withoutKept(config, keeps);
        const position = isOrdered ? { position: at } : {};
        return { kind, id, verb, params: { id }, body: plain({ ...body, ...position }) };
      });
    },
  };
}

export function withoutKept(fields: object, keeps: Keeps): object {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !keeps(name)));
}

/** As a client would send it: without what is undefined. */
export function plain(value: object): JsonObject {
  const json = asJson(JSON.parse(JSON.stringify(value)));
  return isObject(json) ? json : {};
}
