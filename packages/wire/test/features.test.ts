// Whatever a client says is in the request to the provider, named among what was dropped, or refused. Nothing goes in silence.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Fault } from '@floe/contract/faults';
import { REQUEST_FEATURES } from '@floe/testkit/request-features';
import type { RequestWriteOptions } from '../src/dialect.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { createUnsupportedFeatureFault, listUnsupportedFeatures } from '../src/request.ts';
import { WRITE_OPTION_SETS } from './provider-options.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const;
describe('nothing a client says goes in silence', () => {
  for (const feature of REQUEST_FEATURES)
    test(`${feature.client}: ${feature.name}`, () => {
      for (const upstream of UPSTREAMS)
        for (const [provider, options] of Object.entries(WRITE_OPTION_SETS)) {
          const outcome = outcomeOf(feature.client, feature.body, upstream, options);
          if (outcome instanceof Fault) {
            assert.equal(outcome.status, 400);
            assert.ok(outcome.detail.param, 'a refusal names the field');
            continue;
          }
          const { text, dropped } = outcome;
          const carried = feature.marks.some(
            (mark) => text.includes(JSON.stringify(mark).slice(1, -1)) || text.includes(mark),
          );
          const reported = [...dropped].some((name) => feature.lost.test(name));
          assert.ok(
            carried || reported,
            `${provider} ${upstream}: neither in ${text.slice(0, 900)} nor in [${[...dropped].join()}]`,
          );
        }
    });
});

interface Sent {
  readonly text: string;
  readonly dropped: ReadonlySet<string>;
}

function outcomeOf(
  client: keyof typeof CLIENT_DIALECTS,
  body: (typeof REQUEST_FEATURES)[number]['body'],
  upstream: (typeof UPSTREAMS)[number],
  options: RequestWriteOptions,
): Sent | Fault {
  try {
    const ask = CLIENT_DIALECTS[client].readRequest(body);
    const [lost] = listUnsupportedFeatures(ask, UPSTREAM_DIALECTS[upstream].supportedFeatures);
    if (lost) return createUnsupportedFeatureFault(lost);
    const { body: sent, dropped } = UPSTREAM_DIALECTS[upstream].writeRequest(ask, options);
    return { text: JSON.stringify(sent), dropped: new Set([...ask.dropped, ...dropped]) };
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}
