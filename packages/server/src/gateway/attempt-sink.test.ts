import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResponseSink } from './attempt-plan.ts';
import { abortSink } from './attempt-sink.ts';

test('an error in the abort of a sink is returned instead of thrown', () => {
  const reason = new Error('the connection broke');
  const bug = new Error('bug in a test');
  const sink: ResponseSink = {
    push: () => true,
    end: () => undefined,
    hasContent: false,
    isContentSent: false,
    isComplete: false,
    abort: () => undefined,
    formatError: () => null,
  };
  const abort = (thrown: unknown) => () => {
    throw thrown;
  };
  assert.equal(abortSink(null, reason), reason);
  assert.equal(abortSink(sink, reason), reason);
  assert.equal(abortSink({ ...sink, abort: abort(bug) }, reason), bug);
  assert.equal(abortSink({ ...sink, abort: abort('text') }, reason).message, 'text');
});
