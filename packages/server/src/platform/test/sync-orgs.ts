import { FloeConfigSchema } from '@floe/contract/config';
import type { ConfigPath } from '@floe/contract/config/cross-object-rules';
import { isJsonObject, type Json } from '@floe/contract/json';
import type { DatabaseWriter } from '../../store/store-interfaces.ts';
import { type ResourceKindSyncFactory, syncConfigFile } from '../config-file-sync.ts';
import type { ConfigFile } from '../declared-resources.ts';

/** A file with these organizations. @param line of everything in it */
function buildConfigFile(orgs: readonly object[], line = 7): ConfigFile {
  const tree: Json = JSON.parse(JSON.stringify({ orgs }));
  const sets = (path: ConfigPath) => {
    let here: Json | undefined = tree;
    for (const step of path)
      here = Array.isArray(here) ? here[Number(step)] : isJsonObject(here) ? here[step] : undefined;
    return here !== undefined;
  };
  return { config: FloeConfigSchema.parse(tree), path: null, lineOf: () => line, sets };
}

/** Stores the resources of the given kinds. */
export function syncTestOrgs(
  writer: DatabaseWriter,
  kinds: readonly ResourceKindSyncFactory[],
  orgs: readonly object[],
  at: { readonly nowMs: number; readonly line?: number },
): Promise<void> {
  return syncConfigFile(kinds, buildConfigFile(orgs, at.line), { writer, nowMs: at.nowMs });
}
