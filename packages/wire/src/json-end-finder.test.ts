import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JsonEndFinder } from './json-end-finder.ts';

test('the end of a JSON object or array is found at its last character, for any pieces', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(2),
      (value, size, indent) => {
        const text = ` ${JSON.stringify(value, null, indent)}`;
        const end = new JsonEndFinder();
        for (let at = 0; at < text.length; at += size) {
          assert.equal(end.isReached, false);
          end.push(text.slice(at, at + size));
        }
        assert.ok(end.isReached);
        end.push('\n ');
        assert.ok(end.isReached);
        end.push('{}');
        assert.equal(end.isReached, false);
      },
    ),
  );
});

test('other values and text never reach an end', () => {
  for (const text of ['', '1', '"{}"', 'x{}', '}', '{"a":"}', '{"a":"\\"}', '[[]']) {
    const end = new JsonEndFinder();
    end.push(text);
    assert.equal(end.isReached, false, text);
  }
});
