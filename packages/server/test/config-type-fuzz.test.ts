// floe.yaml with a value of every type at every place of its schema. Whatever it says, reading it ends in a
// configuration or in a `ConfigError`, and costs little.
// Tier: ci. Every field of the file with every type.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FloeConfigSchema } from '@floe/contract/config';
import { isJsonObject, type Json } from '@floe/contract/json';
import * as z from 'zod';
import { ConfigError } from '../src/config/config-problem.ts';
import { readEnvironment } from '../src/config/environment.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { findConfigIssues } from '../src/management/config/find-config-issues.ts';
import { MAIN_THREAD_LIMIT_MS, measureCpuMs } from './fuzz/main-thread.ts';
import { generateWrongTypes } from './fuzz/wrong-types.ts';

const SEED = 20_26_11;
const env = readEnvironment({});
const schema: Json = JSON.parse(
  JSON.stringify(z.toJSONSchema(FloeConfigSchema, { io: 'input', unrepresentable: 'any' })),
);

/** What reading a text ends in: 'read', 'refused' or what was thrown. */
function outcomeOf(text: string): string {
  try {
    loadConfig({ text, env, validateSemantics: findConfigIssues });
    return 'read';
  } catch (error) {
    if (!(error instanceof ConfigError)) return error instanceof Error ? String(error.stack) : String(error);
    assert.ok(error.problems.length > 0);
    return 'refused';
  }
}

for (const siblings of ['required', 'all'] as const)
  test(`a value of any type anywhere in floe.yaml is accepted or rejected (${siblings} fields beside it)`, async (t) => {
    assert.ok(isJsonObject(schema));
    const counts = new Map<string, number>();
    const wrong = new Map<string, string>();
    for (const { path, value } of generateWrongTypes(schema, schema, {
      seed: SEED,
      siblings,
      smallAbove: 4,
    })) {
      const text = JSON.stringify(value);
      let outcome = '';
      const ms = await measureCpuMs(() => {
        outcome = outcomeOf(text);
      });
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome !== 'read' && outcome !== 'refused') wrong.set(path, `${text.slice(0, 300)}\n${outcome}`);
      if (ms > MAIN_THREAD_LIMIT_MS) wrong.set(path, `${ms} ms for ${text.slice(0, 300)}`);
    }
    assert.deepEqual(Object.fromEntries([...wrong].slice(0, 5)), {}, `${wrong.size} places, seed ${SEED}`);
    assert.ok((counts.get('refused') ?? 0) > 1_000 && (counts.get('read') ?? 0) > 50);
    t.diagnostic(JSON.stringify(Object.fromEntries(counts)));
  });
