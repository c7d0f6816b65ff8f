import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorsOf, codeBlocksOf, linksOf } from './doc-pages.mjs';

test('a code block has its line, language, info, reason not to run and whether it follows another', () => {
  const page = [
    '# Page',
    '',
    '```sh',
    'floe keys',
    '```',
    '',
    '```text',
    'name',
    '```',
    '',
    'Words.',
    '',
    '<!-- not run: it needs an account -->',
    '```yaml other',
    'a: 1',
    '```',
  ].join('\n');
  assert.deepEqual(
    codeBlocksOf(page).map(({ line, language, info, notRun, follows, code }) => ({
      line,
      language,
      info,
      notRun,
      follows,
      code,
    })),
    [
      { line: 4, language: 'sh', info: '', notRun: null, follows: false, code: 'floe keys' },
      { line: 8, language: 'text', info: '', notRun: null, follows: true, code: 'name' },
      {
        line: 15,
        language: 'yaml',
        info: 'other',
        notRun: 'it needs an account',
        follows: false,
        code: 'a: 1',
      },
    ],
  );
});

test('a block in a list loses the indentation of its fence, and a longer fence encloses a shorter one', () => {
  const page = '1. One\n\n   ```sh\n   a\n     b\n   ```\n\n````text\n```\n````\n';
  assert.deepEqual(
    codeBlocksOf(page).map(({ code }) => code),
    ['a\n  b', '```'],
  );
});

test('headings have the anchors that GitHub gives them', () => {
  assert.deepEqual(anchorsOf('# `orgs[].keys` and more\n\n## A, b\n\n```sh\n# no heading\n```\n\n## A b\n'), [
    'orgskeys-and-more',
    'a-b',
    'a-b-1',
  ]);
});

test('links in code are no links', () => {
  assert.deepEqual(linksOf('[a](b.md#c) and\n\n```js\nx[0](y)\n```\n'), ['b.md#c']);
});
