import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BODY_LOOK_AHEAD_BYTES, BodyRecorder, MAX_STORED_BODY_BYTES } from './body-recorder.ts';
import { buildStoredBody } from './stored-body.ts';

const startOf = (body: Buffer) => body.subarray(0, MAX_STORED_BODY_BYTES + BODY_LOOK_AHEAD_BYTES);

test('stored JSON is valid JSON without sensitive values', () => {
  const body = Buffer.from(
    JSON.stringify({ messages: [{ content: 'Write to ana@example.com' }], seed: 4111 }),
  );
  const kept = buildStoredBody(body, body.length, true);
  assert.deepEqual(JSON.parse(kept?.text ?? ''), {
    messages: [{ content: 'Write to [redacted:email]' }],
    seed: 4111,
  });
  assert.deepEqual([kept?.redacted, kept?.bytes, kept?.truncated], [{ email: 1 }, body.length, false]);
  assert.equal(buildStoredBody(body, body.length, false)?.text, body.toString());
});

test('a long body is truncated at any character with a note', () => {
  for (const odd of ['x', 'é', '氷', '🧊']) {
    const body = Buffer.from(odd.repeat(MAX_STORED_BODY_BYTES + 1));
    const kept = buildStoredBody(startOf(body), body.length, false);
    const [text = '', mark] = (kept?.text ?? '').split('\n');
    assert.ok(kept?.truncated);
    assert.equal(mark, `[truncated: ${MAX_STORED_BODY_BYTES} of ${body.length} bytes are stored]`);
    assert.ok(body.toString().startsWith(text), odd);
    assert.ok(Buffer.byteLength(text) > MAX_STORED_BODY_BYTES - 4);
  }
});

test('a sensitive value at the truncation point is recognized completely', () => {
  const address = 'somebody.with.a.long.name@example.com';
  for (let inside = 1; inside < address.length; inside++) {
    const before = 'a '.repeat(MAX_STORED_BODY_BYTES).slice(0, MAX_STORED_BODY_BYTES - inside - 1);
    const body = Buffer.from(`${before} ${address} and more${' b'.repeat(MAX_STORED_BODY_BYTES)}`);
    const { text = '' } = buildStoredBody(startOf(body), body.length, true) ?? {};
    const end = text.slice(before.length);
    assert.ok(!end.includes(address.slice(0, 4)), `${inside}: ${end.slice(0, 60)}`);
  }
});

test('content that is not text is not stored', () => {
  assert.equal(buildStoredBody(Buffer.from([0x52, 0x49, 0x46, 0x46, 0, 0]), 6, false), null);
});

test('the recorder keeps the start of the content and counts the rest', () => {
  const tape = new BodyRecorder();
  const piece = Buffer.alloc(100_000, 'a');
  for (let n = 0; n < 5; n++) tape.add(piece);
  piece.fill('b');
  assert.equal(tape.totalBytes, 500_000);
  assert.equal(tape.start.toString(), 'a'.repeat(MAX_STORED_BODY_BYTES + BODY_LOOK_AHEAD_BYTES));
});

test('a value at the start of a line of a truncated body is redacted', () => {
  const lines = ['4111 1111 1111 1111', 'sk-ant-api03-aB3dE5gH7jK9mN2pQ4sT6vW8xY1zaB3dE5gH', '123-45-6789'];
  const content = `${lines.join('\n')}\n${'An ordinary line.\n'.repeat(8_000)}`;
  const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content }] }));
  const kept = buildStoredBody(startOf(body), body.length, true);
  assert.deepEqual([kept?.truncated, kept?.redacted], [true, { credit_card: 1, secret: 1, us_ssn: 1 }]);
  for (const line of lines) assert.ok(!kept?.text.includes(line), line);
});
