import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseClaudePayload } from './claude-adapter.ts';
import { cursorAdapter } from './cursor.ts';
import { createToolCallEvents } from './tool-events.ts';

const NAMES = Object.getOwnPropertyNames(Object.prototype);

test('a hook or a tool with a name that every object has is one that nobody knows', () => {
  for (const name of NAMES) {
    assert.equal(parseClaudePayload({ hook_event_name: name }, 'claude-code').report?.type, 'other', name);
    assert.equal(cursorAdapter.read({ hook_event_name: name }).report?.type, 'other', name);
    const [event] = createToolCallEvents(name, {}, { agent: { name: 'claude-code' } });
    assert.equal(event?.event, 'tool', name);
  }
});
