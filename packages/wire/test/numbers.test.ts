// Numbers JavaScript would write differently, at every place a JSON value passes through, in every direction.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isJsonObject, type JsonObject, parseJsonExactly } from '@floe/contract/json';
import {
  assertContainsNumber,
  countNumberOccurrences,
  EXACT_NUMBERS,
  insertNumber,
  NUMBER_PLACEHOLDER,
} from '@floe/testkit/exact-numbers';
import fc from 'fast-check';
import { accumulateResponse, toResponseEvents } from '../src/canonical-response.ts';
import { CLIENT_DIALECTS, UPSTREAM_DIALECTS } from '../src/dialects.ts';
import { normalizeIdeRequest } from '../src/ide/normalize-request.ts';
import { scanJsonObject } from '../src/json-edits.ts';
import {
  ANSWER_READ_OPTIONS,
  CLIENT_NAMES,
  type ClientName,
  createAnswerContext,
  readStreamEvents,
} from './translate.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse', 'cohere'] as const;
const OPTIONS = { hints: ['seed'], tools: ['freeform', 'strict'], reasoningStyle: 'budget' } as const;

/** Members of the vocabulary a target may leave out, if it says so, by the place they stood at. */
const DROPPED_AS: Readonly<Record<string, readonly string[]>> = {
  seed: ['seed'],
  temperature: ['temperature', 'temperature.clamped'],
  'response schema': ['schema.maximum'],
  'tool schema': ['schema.maximum'],
};

const SCHEMA = `{"type":"object","properties":{"n":{"type":"number","enum":[${NUMBER_PLACEHOLDER}],"description":"d"}},"required":["n"],"additionalProperties":false}`;
const ARGUMENTS = `{"n":${NUMBER_PLACEHOLDER},"list":[1,2],"text":"t"}`;
const quoted = (json: string): string => JSON.stringify(json);

/** Requests with one number to put in, by the place it stands at. */
const REQUESTS: Readonly<Record<ClientName | 'ide', Readonly<Record<string, string>>>> = {
  chat: chatRequests(''),
  ide: chatRequests('x'),
  responses: {
    'call arguments': `{"model":"m","input":[{"role":"user","content":"u"},{"type":"function_call","call_id":"c","name":"f","arguments":${quoted(ARGUMENTS)}},{"type":"function_call_output","call_id":"c","output":"ok"}],"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}]}`,
    'tool result': `{"model":"m","input":[{"role":"user","content":"u"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":${quoted(ARGUMENTS)}}],"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}}}]}`,
    'tool schema': `{"model":"m","input":"u","tools":[{"type":"function","name":"f","parameters":${SCHEMA},"strict":true}]}`,
    'response schema': `{"model":"m","input":"u","text":{"format":{"type":"json_schema","name":"s","schema":${SCHEMA}}}}`,
    temperature: `{"model":"m","input":"u","temperature":${NUMBER_PLACEHOLDER}}`,
  },
  messages: {
    'call arguments': `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":${ARGUMENTS}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"ok"}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
    'tool result': `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"u"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":${quoted(ARGUMENTS)}}]}]}],"tools":[{"name":"f","input_schema":{"type":"object"}}]}`,
    'tool schema': `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"u"}],"tools":[{"name":"f","input_schema":${SCHEMA}}]}`,
    'response schema': `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"u"}],"output_config":{"format":{"type":"json_schema","schema":${SCHEMA}}}}`,
    temperature: `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"u"}],"temperature":${NUMBER_PLACEHOLDER}}`,
  },
};

function chatRequests(more: string): Readonly<Record<string, string>> {
  const tools =
    '"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]';
  const history = (args: string, result: string): string =>
    `{"model":"m","messages":[{"role":"user","content":"u${more}"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${args}}}]},{"role":"tool","tool_call_id":"c","content":${result}}],${tools}}`;
  const said = (rest: string): string =>
    `{"model":"m","messages":[{"role":"user","content":"u${more}"}],${rest}}`;
  return {
    'call arguments': history(quoted(ARGUMENTS), '"ok"'),
    'call arguments as an object': history(ARGUMENTS, '"ok"'),
    'tool result': history('"{}"', quoted(ARGUMENTS)),
    'tool schema': said(
      `"tools":[{"type":"function","function":{"name":"f","parameters":${SCHEMA},"strict":true}}]`,
    ),
    'response schema': said(
      `"response_format":{"type":"json_schema","json_schema":{"name":"s","schema":${SCHEMA}}}`,
    ),
    temperature: said(`"temperature":${NUMBER_PLACEHOLDER}`),
    seed: said(`"seed":${NUMBER_PLACEHOLDER}`),
  };
}

/** Answers with one number to put in: whole, and as frames of a stream. */
const CHAT_HEAD = '"id":"a","object":"chat.completion","created":1,"model":"m"';
const ANSWERS: Readonly<
  Record<
    (typeof UPSTREAMS)[number],
    { readonly whole: readonly string[]; readonly frames: readonly string[][] }
  >
> = {
  chat: {
    whole: [
      `{${CHAT_HEAD},"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${quoted(ARGUMENTS)}}}]},"finish_reason":"tool_calls"}]}`,
      `{${CHAT_HEAD},"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${ARGUMENTS}}}]},"finish_reason":"tool_calls"}]}`,
      `{${CHAT_HEAD},"choices":[{"index":0,"message":{"role":"assistant","content":${quoted(ARGUMENTS)}},"finish_reason":"stop"}]}`,
    ],
    frames: [
      [
        `{${CHAT_HEAD},"choices":[{"index":0,"delta":{"role":"assistant","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":${ARGUMENTS}}}]}}]}`,
        `{${CHAT_HEAD},"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
      ],
    ],
  },
  responses: {
    whole: [
      `{"id":"r","object":"response","status":"completed","model":"m","output":[{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":${quoted(ARGUMENTS)}}]}`,
    ],
    frames: [
      [
        `{"type":"response.created","response":{"id":"r","status":"in_progress"}}`,
        `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":${quoted(ARGUMENTS)}}}`,
        `{"type":"response.completed","response":{"id":"r","status":"completed","output":[]}}`,
      ],
    ],
  },
  messages: {
    whole: [
      `{"id":"m","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"c","name":"f","input":${ARGUMENTS}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`,
    ],
    frames: [
      [
        `{"type":"message_start","message":{"id":"m","model":"m","usage":{"input_tokens":1,"output_tokens":1}}}`,
        `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"f","input":${ARGUMENTS}}}`,
        `{"type":"content_block_stop","index":0}`,
        `{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}`,
        `{"type":"message_stop"}`,
      ],
    ],
  },
  gemini: {
    whole: [
      `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${ARGUMENTS}}}]},"finishReason":"STOP"}]}`,
    ],
    frames: [
      [
        `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":${ARGUMENTS}}}]},"finishReason":"STOP"}]}`,
      ],
      [
        `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","willContinue":true,"partialArgs":[{"jsonPath":"$.n","numberValue":${NUMBER_PLACEHOLDER}}]}}]}}]}`,
        `{"candidates":[{"content":{"parts":[{"functionCall":{}}]},"finishReason":"STOP"}]}`,
      ],
    ],
  },
  converse: {
    whole: [
      `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":${ARGUMENTS}}}]}},"stopReason":"tool_use","usage":{}}`,
    ],
    frames: [],
  },
  cohere: {
    whole: [
      `{"id":"a","message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${quoted(ARGUMENTS)}}}]},"finish_reason":"TOOL_CALL","usage":{}}`,
    ],
    frames: [],
  },
};

/** As the gateway reads a body: scanned first, exactly only where the scan saw a reason to. */
function readBody(text: string): JsonObject {
  const { hasInexact } = scanJsonObject(Buffer.from(text));
  const body = hasInexact ? parseJsonExactly(text) : JSON.parse(text);
  assert.ok(isJsonObject(body));
  return body;
}

describe('numbers in requests', () => {
  for (const client of [...CLIENT_NAMES, 'ide'] as const)
    for (const [place, template] of Object.entries(REQUESTS[client]))
      for (const upstream of UPSTREAMS)
        test(`${client} to ${upstream}: ${place}`, () => {
          for (const number of EXACT_NUMBERS) {
            const body = readBody(insertNumber(template, number));
            const ask =
              client === 'ide'
                ? normalizeIdeRequest(body).request
                : CLIENT_DIALECTS[client].readRequest(body);
            const { body: sent, dropped } = UPSTREAM_DIALECTS[upstream].writeRequest(ask, OPTIONS);
            const text = JSON.stringify(sent);
            const given = DROPPED_AS[place]?.some((name) => dropped.has(name));
            if (!given) assertContainsNumber(text, number, `${client} to ${upstream}`);
            if (client === 'ide')
              assertContainsNumber(JSON.stringify(normalizeIdeRequest(body).body), number, 'normal form');
          }
        });
});

describe('numbers in answers', () => {
  for (const upstream of UPSTREAMS)
    for (const client of CLIENT_NAMES)
      test(`${upstream} to ${client}`, () => {
        for (const number of EXACT_NUMBERS) {
          const { whole, frames } = ANSWERS[upstream];
          const answers = [
            ...whole.map((template) => {
              const body = parseJsonExactly(insertNumber(template, number));
              return [
                ...toResponseEvents(
                  UPSTREAM_DIALECTS[upstream].readCompleteResponse(body, ANSWER_READ_OPTIONS),
                ),
              ];
            }),
            ...frames.map((stream) => {
              const sse = stream.map((frame) => `data: ${insertNumber(frame, number)}\n\n`).join('');
              return readStreamEvents(upstream, Buffer.from(sse), 1 << 30);
            }),
          ];
          for (const events of answers) {
            const dialect = CLIENT_DIALECTS[client];
            const writer = dialect.createResponseWriter(createAnswerContext());
            assertContainsNumber(events.map((event) => writer.write(event)).join(''), number, 'stream');
            const { body } = dialect.writeCompleteResponse(accumulateResponse(events), createAnswerContext());
            assertContainsNumber(JSON.stringify(body), number, 'whole');
          }
        }
      });

  test('settings a Responses answer repeats', () => {
    for (const [place, template] of Object.entries(REQUESTS.responses)) {
      if (place.startsWith('call') || place.startsWith('tool result')) continue;
      for (const number of EXACT_NUMBERS) {
        const ask = CLIENT_DIALECTS.responses.readRequest(readBody(insertNumber(template, number)));
        const writer = CLIENT_DIALECTS.responses.createResponseWriter(createAnswerContext({ request: ask }));
        assertContainsNumber(writer.write({ type: 'start', id: 'a', model: 'm' }), number, place);
      }
    }
  });
});

describe('the reader that keeps numbers', () => {
  const scalar = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
    fc.tuple(fc.integer(), fc.stringMatching(/^[0-9]{1,25}$/)).map(([whole, part]) => `${whole}.${part}`),
    fc
      .tuple(fc.nat(99), fc.constantFrom('e', 'E'), fc.integer({ min: -400, max: 400 }))
      .map(([m, e, x]) => `${m}${e}${x}`),
    fc.constantFrom('-0', '-0.0', '0.0', '0e0', '1.10'),
    fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('true', 'null'),
  );
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,5}$/), tie('json')), {
          maxLength: 4,
          selector: ([key]) => key,
        })
        .map((members) => `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`),
    ),
  }));

  test('any JSON comes back as the same text', () =>
    fc.assert(
      fc.property(json, (text) => assert.equal(JSON.stringify(parseJsonExactly(text)), text)),
      { numRuns: 1000 },
    ));

  test('the scan of a body sees every number that has to be kept', () =>
    fc.assert(
      fc.property(json, (value) => {
        const text = `{"a":${value}}`;
        const survives = JSON.stringify(JSON.parse(text)) === text;
        assert.equal(scanJsonObject(Buffer.from(text)).hasInexact, !survives);
      }),
      { numRuns: 1000 },
    ));

  test('spaces around a number hide nothing', () => {
    for (const number of EXACT_NUMBERS)
      for (const text of [`{ "a" : ${number} }`, `[\n\t${number}\r\n]`, ` ${number} `, `[1,${number}]`])
        assert.ok(countNumberOccurrences(JSON.stringify(parseJsonExactly(text)), number) === 1, text);
  });
});
