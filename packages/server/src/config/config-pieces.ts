import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import type { FloeConfig, OrgConfig } from '@floe/contract/config';
import { deepFreeze } from './load-config.ts';

/** Entries of a list in one piece. Reading the piece takes less than 1 ms. */
export const ENTRIES_PER_PIECE = 100;

/**
 * A part of a configuration that is read without a pause: the next organization without its long
 * lists, or the next entries of a list of the last organization.
 */
type ConfigPiece =
  | { readonly org: Readonly<Record<string, unknown>> }
  | { readonly section: string; readonly entries: readonly unknown[] };

/** A configuration in pieces of limited size, as a thread sends it. */
export interface SplitConfig {
  /** The configuration without organizations. */
  readonly installation: FloeConfig;
  readonly orgs: readonly SplitOrg[];
}

/** An organization in pieces of limited size. */
export interface SplitOrg {
  readonly id: string;
  /** Organizations with the same digest are equal. */
  readonly digest: string;
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
}

/** Divides the organizations of a configuration into pieces. */
export function splitConfig(config: FloeConfig): SplitConfig {
  const orgs = config.orgs.map((org): SplitOrg => {
    const pieces = listPieces(org).map((piece) => new Uint8Array(serialize(piece)));
    const digest = createHash('sha256');
    for (const piece of pieces) digest.update(piece);
    return { id: org.id, digest: digest.digest('base64'), pieces };
  });
  return { installation: { ...config, orgs: [] }, orgs };
}

function listPieces(org: OrgConfig): ConfigPiece[] {
  const rest: Record<string, unknown> = { ...org };
  const lists: ConfigPiece[] = [];
  for (const [section, value] of Object.entries(rest)) {
    if (!Array.isArray(value) || value.length <= ENTRIES_PER_PIECE) continue;
    rest[section] = [];
    for (let at = 0; at < value.length; at += ENTRIES_PER_PIECE)
      lists.push({ section, entries: value.slice(at, at + ENTRIES_PER_PIECE) });
  }
  return [{ org: rest }, ...lists];
}

/** `splitConfig` created the piece, in a thread of this process. */
function readPiece(piece: Uint8Array): ConfigPiece {
  return deserialize(piece) as ConfigPiece;
}

/** The fields are those of an organization that `splitConfig` divided. */
function asOrgConfig(fields: object): OrgConfig {
  return fields as OrgConfig;
}

interface OpenOrg {
  readonly fields: Record<string, unknown>;
  /** The organization in the running configuration. */
  readonly before: Readonly<Record<string, unknown>>;
  /** The lists that arrive in pieces. */
  readonly lists: Map<string, unknown[]>;
}

/**
 * Joins pieces to a deep-frozen configuration. Uses the objects of the running configuration for
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
    const piece = readPiece(bytes);
    if ('org' in piece) {
      this.#close();
      this.#begin(piece.org);
    } else this.#append(piece.section, piece.entries);
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
