import type { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import type { ModelPatternMatcher } from '../../core/model-pattern.ts';
import { InternedKeyFields, toKeyRecord } from '../../platform/stored-platform-key.ts';
import { listActivePlatformKeys } from '../../store/snapshot-platform-keys.ts';
import type { DatabaseReader } from '../../store/store-interfaces.ts';

const MAX_LISTED_KEY_NAMES = 20;

/** The keys with the same model patterns, which are matched once for all of them. */
interface PatternGroup {
  /** Null for all models. */
  readonly models: ModelPatternMatcher | null;
  keyCount: number;
  /** Whether the keys may use the model whose keys are listed. */
  mayUse: boolean;
}

interface GroupedKey {
  readonly id: string;
  readonly name: string;
  readonly group: PatternGroup;
}

/** An organization's active keys that have the scope `gateway`. */
export class GatewayKeys {
  readonly #groups: readonly PatternGroup[];
  /** In the order of their names. */
  readonly #keys: readonly GroupedKey[];

  private constructor(groups: readonly PatternGroup[], keys: readonly GroupedKey[]) {
    this.#groups = groups;
    this.#keys = keys;
  }

  /** Reads the keys. Yields to the event loop. */
  static async load(
    reader: DatabaseReader,
    { orgId, nowMs }: { readonly orgId: string; readonly nowMs: number },
    turns: EventLoopYielder,
  ): Promise<GatewayKeys> {
    // Keys with the same patterns get the same matcher.
    const shared = new InternedKeyFields();
    const groups = new Map<ModelPatternMatcher | null, PatternGroup>();
    const keys: GroupedKey[] = [];
    for (const row of await listActivePlatformKeys(reader, orgId, nowMs)) {
      const { id, name, models, scopes } = toKeyRecord(row, shared);
      if (!scopes.has('gateway')) continue;
      const group = groups.get(models) ?? { models, keyCount: 0, mayUse: false };
      groups.set(models, group);
      group.keyCount += 1;
      keys.push({ id, name, group });
      await turns.endStep();
    }
    keys.sort((one, other) => (one.name < other.name ? -1 : 1));
    return new GatewayKeys([...groups.values()], keys);
  }

  /** Returns whether the key with this id may use a model. Returns false for all models if there is no such key. */
  createFilter(keyId: string): (modelId: string) => boolean {
    const group = this.#keys.find(({ id }) => id === keyId)?.group;
    if (group === undefined) return () => false;
    return group.models ?? (() => true);
  }

  /** Returns the number of keys that may use a model, and the names of the first ones. */
  summarize(modelId: string): { count: number; names: string[] } {
    let count = 0;
    for (const group of this.#groups) {
      group.mayUse = group.models === null || group.models(modelId);
      if (group.mayUse) count += group.keyCount;
    }
    const names: string[] = [];
    const wanted = Math.min(count, MAX_LISTED_KEY_NAMES);
    for (let at = 0; names.length < wanted; at++) {
      const key = this.#keys[at];
      if (key?.group.mayUse) names.push(key.name);
    }
    return { count, names };
  }
}
