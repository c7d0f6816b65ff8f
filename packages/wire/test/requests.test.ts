// Every recorded request, read as its dialect and written in every other: what one asks, all ask.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { tryParseJson } from '../src/json-narrowing.ts';
import { type CanonicalRequest, listUnsupportedFeatures } from '../src/request.ts';
import { allRecordings, recordedDialect } from './recordings.ts';
import { assertSameConversation } from './same-conversation.ts';
import { assertAcceptedBody } from './upstream-rules.ts';

const recordings = allRecordings();
const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const;
const rows: string[] = [];

describe('recorded requests in every upstream dialect', () => {
  for (const recording of recordings) {
    const dialect = recordedDialect(recording);
    const body = plain(recording.request);
    if (dialect === undefined || !isClientDialect(dialect) || !isJsonObject(body)) continue;
    test(`${dialect} ${recording.name}`, () => {
      const ask = readOrRefuse(dialect, body);
      if (ask instanceof Fault) {
        rows.push(`${recording.name.padEnd(70)} ${ask.status} ${ask.code} ${ask.detail.param}`);
        return;
      }
      assert.deepEqual(
        plain(CLIENT_DIALECTS[dialect].readRequest(body)),
        plain(ask),
        'reading does not change the body',
      );
      const cells = UPSTREAMS.map((upstream) => {
        const missing = listUnsupportedFeatures(ask, UPSTREAM_DIALECTS[upstream].supportedFeatures);
        if (missing.length > 0) return `${upstream} refused(${missing.map(({ need }) => need).join(',')})`;
        const { body: written, dropped } = UPSTREAM_DIALECTS[upstream].writeRequest(ask);
        const sent = plain(written);
        assert.ok(isJsonObject(sent));
        assertAcceptedBody(upstream, sent);
        if (isClientDialect(upstream))
          assertSameConversation(ask, CLIENT_DIALECTS[upstream].readRequest(sent), dropped);
        return `${upstream} ${dropped.size === 0 ? 'ok' : `-${[...dropped].join(',')}`}`;
      });
      rows.push(`${recording.name.padEnd(70)} ${cells.join(' | ')}`);
    });
  }
  test('requests of every dialect clients speak are there', () => {
    for (const dialect of ['chat', 'responses', 'messages'] as const) {
      const found = recordings.filter((one) => recordedDialect(one) === dialect && isJsonObject(one.request));
      assert.ok(found.length >= 15, `${dialect}: ${found.length}`);
    }
  });
  after(() =>
    process.stdout.write(
      `${rows.join('\n')}\n${rows.length} requests × ${UPSTREAMS.length} upstream dialects\n`,
    ),
  );
});

test('a request that cannot be carried is refused by the name of its field', async () => {
  const { createUnsupportedFeatureFault } = await import('../src/request.ts');
  const ask = CLIENT_DIALECTS.chat.readRequest({
    model: 'm',
    n: 2,
    messages: [{ role: 'user', content: 'hi' }],
  });
  const [first] = listUnsupportedFeatures(ask, UPSTREAM_DIALECTS.messages.supportedFeatures);
  assert.ok(first);
  const fault = createUnsupportedFeatureFault(first);
  assert.ok(fault instanceof Fault);
  assert.deepEqual([fault.code, fault.detail.param], ['unsupported_parameter', 'n']);
});

function isClientDialect(name: string): name is keyof typeof CLIENT_DIALECTS {
  return Object.hasOwn(CLIENT_DIALECTS, name);
}

/** The ask, or the clear refusal that names the field. */
function readOrRefuse(dialect: keyof typeof CLIENT_DIALECTS, body: JsonObject): CanonicalRequest | Fault {
  try {
    return CLIENT_DIALECTS[dialect].readRequest(body);
  } catch (error) {
    assert.ok(
      error instanceof Fault && error.status === 400 && error.detail.param !== undefined,
      String(error),
    );
    return error;
  }
}

function plain(value: unknown): Json {
  return value === undefined ? null : (tryParseJson(JSON.stringify(value)) ?? null);
}
