import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkHeartbeatOptions } from './check-options.ts';

const GUIDE = new URL('../../../docs/guides/report-beats-from-code.md', import.meta.url);

/** The names in the first column of the table of options, and those in the example in JavaScript. */
function documentedOptions(): readonly string[] {
  const text = readFileSync(GUIDE, 'utf8');
  const [, table = ''] = /\n\| TypeScript \|.*\n.*\n([\s\S]*?)\n\n/.exec(text) ?? [];
  const [, example = ''] = /startHeartbeat\('queue-worker', \{\n([\s\S]*?)\n\}\);/.exec(text) ?? [];
  const names = [...table.matchAll(/^\| `(\w+)`/gm), ...example.matchAll(/^ {2}(\w+):/gm)];
  return [...new Set(names.map(([, name = '']) => name))];
}

test('the guide documents only options that exist', () => {
  const names = documentedOptions();
  assert.ok(names.length >= 8, `the guide must document the options, got ${names.join(', ')}`);
  for (const name of names) {
    const { problems } = checkHeartbeatOptions({ [name]: undefined });
    assert.deepEqual(problems, [], name);
  }
});
