import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RelaySchema } from '@floe/contract/config/relay';
import type { JsonObject } from '@floe/contract/json';
import { compileRelayConfig } from '../compile-relay-config.ts';
import {
  exceedsHookLimits,
  MAX_HOOK_ARGUMENT_DEPTH,
  MAX_HOOK_ARGUMENTS,
  shouldDenyCallsOverHookLimits,
} from './hook-adapter.ts';
import { createPromptEvent, createToolCallEvents } from './tool-events.ts';

const COMMON = { agent: { name: 'codex' } };
const patchEvents = (input: string) => createToolCallEvents('apply_patch', { input }, COMMON);

test('the content of all files of a hook call is limited, and a text counts for each file that it may belong to', () => {
  const diffOf = (count: number, padding: number) =>
    Array.from({ length: count }, (_, at) => `--- f${at}\n+++ f${at}\n`).join('') + '+'.repeat(padding);
  assert.equal(exceedsHookLimits(patchEvents(diffOf(20, 100_000))), false);
  assert.equal(exceedsHookLimits(patchEvents(diffOf(1_000, 0))), true, '1,000 texts of 20 KB');
  assert.equal(exceedsHookLimits(patchEvents(diffOf(10, 900_000))), true);
  const paths = Array.from({ length: 10 }, (_, at) => `f${at}`);
  const write = (size: number) => createToolCallEvents('write', { paths, content: 'x'.repeat(size) }, COMMON);
  assert.equal(exceedsHookLimits(write(800_000)), false);
  assert.equal(exceedsHookLimits(write(900_000)), true);
});

test('the arguments of a tool call are limited in depth and number, also in payloads that nothing else can read', () => {
  const call = (input: JsonObject) => createToolCallEvents('mcp__db__query', input, COMMON);
  const deep = (levels: number): JsonObject =>
    JSON.parse(`${'{"a":['.repeat(levels / 2)}1${']}'.repeat(levels / 2)}`);
  assert.equal(exceedsHookLimits(call(deep(MAX_HOOK_ARGUMENT_DEPTH))), false);
  for (const levels of [MAX_HOOK_ARGUMENT_DEPTH + 2, 400_000])
    assert.equal(exceedsHookLimits(call(deep(levels))), true);
  const wide = (names: number) => Object.fromEntries(Array.from({ length: names }, (_, at) => [`a${at}`, 1]));
  assert.equal(exceedsHookLimits(call(wide(MAX_HOOK_ARGUMENTS))), false);
  assert.equal(exceedsHookLimits(call(wide(MAX_HOOK_ARGUMENTS + 1))), true);
});

test('the number of attachments of a prompt is limited', () => {
  const prompt = (count: number) => createPromptEvent('x', Array(count).fill('/srv/a'), COMMON);
  assert.equal(exceedsHookLimits([prompt(500)]), false);
  assert.equal(exceedsHookLimits([prompt(501)]), true);
});

/** If the texts are copied, they take several gigabytes. */
test('the events of sections that name many files share their text', () => {
  const section = `*** Update File: x\n${Array.from({ length: 8_000 }, (_, at) => `*** Move to: ${at}\n`).join('')}`;
  const events = patchEvents(section.repeat(6));
  assert.equal(events.length, 8_001);
  assert.ok(events.every(({ file }) => file?.content?.length === section.length * 6));
});

test('a call over the limits is denied if an enforced rule could stop it, also a built-in rule', () => {
  const rule = (more: object) => ({ name: 'r', on: ['file_write'], when: 'true', decision: 'deny', ...more });
  const enforced = { mode: 'enforce', self_tamper: 'off' };
  for (const [config, expected] of [
    [{ ...enforced, rules: [rule({})] }, true],
    [{ ...enforced, rules: [rule({ decision: 'ask' })] }, true],
    [{ ...enforced, rules: [rule({ mode: 'observe' }), rule({ name: 's', mode: 'warn' })] }, false],
    [{ ...enforced, rules: [rule({ decision: 'allow' })] }, false],
    [{ ...enforced, rules: [] }, false],
    [{ ...enforced, rules: [], self_tamper: 'enforce' }, true],
    [{ ...enforced, rules: [], self_tamper: 'observe' }, false],
    [{ mode: 'observe', rules: [rule({})] }, false],
  ] as const)
    assert.equal(
      shouldDenyCallsOverHookLimits(compileRelayConfig(RelaySchema.parse(config))),
      expected,
      JSON.stringify(config),
    );
});
