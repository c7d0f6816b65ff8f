import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogLineTagger } from './log-line-tagger.ts';

const INPUT = '{"level":"info","msg":"ü"}\nplain text }\n{}\n{"level":"warn"}';
const TAGGED = '{"level":"info","msg":"ü","process":2}\nplain text }\n{}\n{"level":"warn","process":2}\n';

test('every JSON line gets the field process, wherever the output is cut', () => {
  const bytes = Buffer.from(INPUT);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const tagger = new LogLineTagger(2);
    const parts = [tagger.tag(bytes.subarray(0, cut)), tagger.tag(bytes.subarray(cut)), tagger.end()];
    assert.equal(Buffer.concat(parts).toString(), TAGGED, `cut at ${cut}`);
  }
});
