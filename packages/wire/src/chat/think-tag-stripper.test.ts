import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { ThinkTagStripper } from './think-tag-stripper.ts';

function filter(pieces: readonly string[]): string {
  const tags = new ThinkTagStripper();
  return pieces.map((piece) => tags.push(piece)).join('') + tags.flush();
}

describe('ThinkTagStripper', () => {
  const cases: readonly [string, string][] = [
    ['<think>plan</think>\n\nanswer', 'answer'],
    ['\n <think>\n\n</think>\r\nanswer\n', 'answer\n'],
    ['<think>plan without an end', ''],
    ['<think>a</think>b<think>c</think>', 'b<think>c</think>'],
    ['answer <think>kept</think>', 'answer <think>kept</think>'],
    ['plan</think>answer', 'plan</think>answer'],
    ['<thin', '<thin'],
    ['<thinking>kept', '<thinking>kept'],
    [`${' '.repeat(100)}<think>kept</think>`, `${' '.repeat(100)}<think>kept</think>`],
    ['  spaced', '  spaced'],
    ['', ''],
  ];
  for (const [text, shown] of cases) {
    test(`shows ${JSON.stringify(shown.slice(-30))} for ${JSON.stringify(text.slice(-30))}, whole or by the letter`, () => {
      assert.equal(filter([text]), shown);
      assert.equal(filter([...text]), shown);
    });
  }

  test('shows the same text however it is cut', () => {
    const piece = fc.constantFrom('<think>', '</think>', '<', '>', 'th', 'ink', '/', '\n', ' ', 'word', '');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join('');
        assert.equal(filter(pieces), filter([text]));
        assert.equal(filter([...text]), filter([text]));
      }),
      { numRuns: 3_000 },
    );
  });
});
