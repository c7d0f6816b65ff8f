import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import type { FloeConfig, OrgConfig } from '@floe/contract/config';
import { deepFreeze } from './load-config.ts';

/** The maximum number of list entries per chunk. With this number, deserializing a chunk takes less than 1 ms. */
export const MAX_ENTRIES_PER_CHUNK = 100;

/**
 * One chunk of a configuration. It contains either the next organization without its long lists, or the next
 * entries of a long list of the most recent organization. A thread reads one chunk in one turn of its event loop.
 */
type ConfigChunk =
  | { readonly org: Readonly<Record<string, unknown>> }
  | { readonly section: string; readonly entries: readonly unknown[] };

/** A configuration that is split into chunks of limited size, so that it can be sent between threads. */
export interface ChunkedConfig {
  /** The configuration without organizations. */
  readonly installation: FloeConfig;
  readonly orgs: readonly ChunkedOrg[];
}

/** An organization that is split into chunks of limited size. */
export interface ChunkedOrg {
  readonly id: string;
  /** Organizations with the same digest are equal. */
  readonly digest: string;
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
}

/** Splits the organizations of a configuration into chunks. */
export function splitConfig(config: FloeConfig): ChunkedConfig {
  const orgs = config.orgs.map((org): ChunkedOrg => {
    const chunks = listChunks(org).map((chunk) => new Uint8Array(serialize(chunk)));
    const digest = createHash('sha256');
    for (const chunk of chunks) digest.update(chunk);
    return { id: org.id, digest: digest.digest('base64'), chunks };
  });
  return { installation: { ...config, orgs: [] }, orgs };
}

function listChunks(org: OrgConfig): ConfigChunk[] {
  const rest: Record<string, unknown> = { ...org };
  const lists: ConfigChunk[] = [];
  for (const [section, value] of Object.entries(rest)) {
    if (!Array.isArray(value) || value.length <= MAX_ENTRIES_PER_CHUNK) continue;
    rest[section] = [];
    for (let at = 0; at < value.length; at += MAX_ENTRIES_PER_CHUNK)
      lists.push({ section, entries: value.slice(at, at + MAX_ENTRIES_PER_CHUNK) });
  }
  return [{ org: rest }, ...lists];
}

/** `splitConfig` created the chunk, in a worker thread of this process. */
function readChunk(chunk: Uint8Array): ConfigChunk {
  return deserialize(chunk) as ConfigChunk;
}

/** The fields are those of an organization that `splitConfig` split. */
function asOrgConfig(fields: object): OrgConfig {
  return fields as OrgConfig;
}

interface OpenOrg {
  readonly fields: Record<string, unknown>;
  /** The organization in the running configuration. */
  readonly before: Readonly<Record<string, unknown>>;
  /** The long lists. Their entries arrive in separate chunks. */
  readonly lists: Map<string, unknown[]>;
}

/**
 * Joins chunks into a deep-frozen configuration. Uses the objects of the running configuration for
 * everything that is equal, so that an unchanged organization is the same object.
 */
export class ConfigAssembler {
  readonly #running: ReadonlyMap<string, OrgConfig>;
  readonly #orgs: OrgConfig[] = [];
  #open: OpenOrg | null = null;

  constructor(running: FloeConfig) {
    this.#running = new Map(running.orgs.map((org) => [org.id, org]));
  }

  /** Adds an organization that is equal in the running configuration. Returns false if it is not there. */
  addRunning(id: string): boolean {
    const org = this.#running.get(id);
    if (!org) return false;
    this.#close();
    this.#orgs.push(org);
    return true;
  }

  add(bytes: Uint8Array): void {
    const chunk = readChunk(bytes);
    if ('org' in chunk) {
      this.#close();
      this.#begin(chunk.org);
    } else this.#append(chunk.section, chunk.entries);
  }

  finish(installation: FloeConfig): FloeConfig {
    this.#close();
    const config: FloeConfig = { ...installation, orgs: this.#orgs };
    for (const [section, value] of Object.entries(config)) if (section !== 'orgs') deepFreeze(value);
    Object.freeze(this.#orgs);
    return Object.freeze(config);
  }

  #begin(org: Readonly<Record<string, unknown>>): void {
    const before: Readonly<Record<string, unknown>> = { ...this.#running.get(String(org['id'])) };
    const fields = Object.entries(org).map(([name, value]) => [name, chooseEqual(before[name], value)]);
    this.#open = { fields: Object.fromEntries(fields), before, lists: new Map() };
  }

  #append(section: string, entries: readonly unknown[]): void {
    if (!this.#open) throw new Error('a list came before its organization');
    const { before, lists } = this.#open;
    const list = lists.get(section) ?? [];
    lists.set(section, list);
    const own = before[section];
    const known: readonly unknown[] = Array.isArray(own) ? own : [];
    for (const entry of entries) list.push(chooseEqual(known[list.length], entry));
  }

  #close(): void {
    if (!this.#open) return;
    const { fields, before, lists } = this.#open;
    for (const [section, list] of lists) {
      const own = before[section];
      const isSame =
        isList(own) && own.length === list.length && list.every((entry, at) => entry === own[at]);
      fields[section] = isSame ? own : Object.freeze(list);
    }
    const names = Object.keys(fields);
    const isSame =
      names.length === Object.keys(before).length && names.every((name) => fields[name] === before[name]);
    const org = this.#running.get(String(fields['id']));
    this.#orgs.push(isSame && org ? org : Object.freeze(asOrgConfig(fields)));
    this.#open = null;
  }
}

/** The running value if it is equal, or else the new value, frozen. */
function chooseEqual(running: unknown, value: unknown): unknown {
  if (running !== undefined && isDeepStrictEqual(running, value)) return running;
  deepFreeze(value);
  return value;
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}
