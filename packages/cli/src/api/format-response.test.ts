import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { formatResponse } from './format-response.ts';
import { formatTable } from './format-table.ts';
import { TABLE_COLUMNS_BY_COMMAND } from './table-columns-by-command.ts';

suite('tables', () => {
  test('a breaker that is forced open says so, whatever its own state', () => {
    const calls = { ok: 1, failed: 0, slow: 0 };
    const forced = { state: 'open', until: '2026-11-24T10:00:00.000Z', reason: 'maintenance', by: 'first' };
    const rows = [
      { id: 'a/m@default', state: 'closed', forced, calls, wait_ms: 10, reason: '' },
      { id: 'b/m@default', state: 'half_open', forced: null, calls, wait_ms: 0, reason: 'tested' },
    ];
    assert.deepEqual(formatTable(rows, TABLE_COLUMNS_BY_COMMAND['breakers list']).split('\n'), [
      'ID           STATE        FORCED UNTIL          OK  FAILED  SLOW  WAIT MS  REASON',
      'a/m@default  forced open  2026-11-24T10:00:00Z  1   0       0     10       maintenance',
      'b/m@default  half_open    -                     1   0       0     0        tested',
      '',
    ]);
  });

  test('a request shows the model that was asked for when none served', () => {
    const common = {
      created_at: '2026-11-24T08:20:04.140Z',
      key_name: 'ci',
      usage: { input_tokens: 9, output_tokens: 2 },
    };
    const rows = [
      {
        ...common,
        id: 'exc_1',
        model: 'echo',
        model_requested: 'smart',
        provider: 'sandbox',
        status: 200,
        cost_usd: '0.0012',
      },
      {
        ...common,
        id: 'exc_2',
        model: null,
        model_requested: 'smart',
        provider: null,
        status: 404,
        error_code: 'model_not_found',
      },
    ];
    const [header, first, second] = formatTable(rows, TABLE_COLUMNS_BY_COMMAND['requests list']).split('\n');
    assert.match(header ?? '', /^TIME +ID +MODEL +PROVIDER +STATUS +OUTCOME +ERROR +IN +OUT +COST +KEY$/);
    assert.match(first ?? '', /^2026-11-24T08:20:04Z +exc_1 +echo +sandbox +200 +- +- +9 +2 +\$0\.0012 +ci$/);
    assert.match(second ?? '', / exc_2 +smart +- +404 +- +model_not_found +9 +2 +- +ci$/);
    const empty = formatTable([{}], TABLE_COLUMNS_BY_COMMAND['requests list']).split('\n')[0];
    assert.equal(empty?.split(/ +/).length, header?.split(/ +/).length);
  });

  test('a limit names its subject and shows what is used', () => {
    const rows = [
      { id: 'lim_1', name: 'ci', scope: 'key', key: 'ci', rpm: 60, state: { rpm_used: 12 } },
      { id: 'lim_2', name: null, per: 'owner', model: 'openai/*', tpm: 1000, state: null },
    ];
    const [, first = '', second = ''] = formatTable(rows, TABLE_COLUMNS_BY_COMMAND['limits list']).split(
      '\n',
    );
    assert.deepEqual(first.split(/ {2,}/).slice(0, 5), ['lim_1', 'ci', 'key ci', '12', '60']);
    assert.deepEqual(second.split(/ {2,}/).slice(0, 7), [
      'lim_2',
      '-',
      'each owner on openai/*',
      '-',
      '-',
      '-',
      '1000',
    ]);
  });
});

suite('answers', () => {
  test('text with line breaks is printed as it is, without control characters', () => {
    assert.equal(formatResponse({ yaml: 'a:\n  - b: "\u001b[31m"\n' }), 'a:\n  - b: " [31m"\n');
    assert.equal(formatResponse({ id: 'a', text: 'one\ntwo' }), 'id    a\ntext\n  one\n  two\n');
  });

  test('objects and lists inside an answer are blocks', () => {
    const answer = {
      id: 'exc_1',
      counts: { file: 0, console: 2 },
      attempts: [
        { n: 1, provider: 'a', model: 'm', status: 500, error: 'upstream_error' },
        { n: 2, provider: 'b', model: 'm', status: 200, error: null },
      ],
      decisions: [
        { step: 'route', outcome: 'a/m', reason: `the provider in the model id ${'x'.repeat(60)}` },
      ],
      none: [],
      metadata: {},
    };
    assert.deepEqual(formatResponse(answer).split('\n'), [
      'id         exc_1',
      'counts     file 0, console 2',
      'attempts',
      '  - n         1',
      '    provider  a',
      '    model     m',
      '    status    500',
      '    error     upstream_error',
      '  - n         2',
      '    provider  b',
      '    model     m',
      '    status    200',
      '    error     -',
      'decisions',
      '  STEP   OUTCOME  REASON',
      `  route  a/m      the provider in the model id ${'x'.repeat(60)}`,
      'none       -',
      'metadata   -',
      '',
    ]);
  });

  test('a list is a table where its rows are flat, else blocks; what stands beside it follows', () => {
    assert.equal(formatResponse({ data: [] }), 'None.\n');
    assert.equal(formatResponse({ data: [{ id: 'a', n: 1 }], next: null }), 'ID  N\na   1\n');
    assert.equal(
      formatResponse({ data: [{ answer: { ok: 'yes' } }, { answer: null }], total: 2 }),
      'answer\n  ok  yes\n\nanswer  -\n\ntotal  2\n',
    );
    assert.equal(formatResponse(7), '7\n');
  });
});
