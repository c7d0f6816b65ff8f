// Random conversations and answers in the vocabulary, for property tests.

import type { JsonObject } from '@floe/contract/json';
import fc from 'fast-check';
import type { ResponseBlock } from '../src/canonical-response.ts';
import type { FinishReason } from '../src/finish-reason.ts';
import type {
  CanonicalRequest,
  ContentPart,
  ConversationTurn,
  MediaPart,
  TextPart,
  ToolDefinition,
  ToolResultPart,
} from '../src/request.ts';
import type { ResponseEvent } from '../src/response-events.ts';
import type { Usage } from '../src/usage.ts';
import { emptyRequest } from './translate.ts';

const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
  .filter((text) => text.trim() === text && text !== '');
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/);
const object: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,6}$/),
  fc.oneof(words, fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.integer(), { maxLength: 3 })),
  { maxKeys: 4 },
);
const text: fc.Arbitrary<TextPart> = words.map((value) => ({ type: 'text', text: value }));
const image: fc.Arbitrary<MediaPart> = fc
  .oneof(
    fc.constant({ url: 'https://example.com/cat.png' }),
    fc.constant({ data: 'aGk=', mime: 'image/png' }),
  )
  .map((source) => ({ type: 'media', kind: 'image', source }));

/** One exchange of the conversation: the user, then an assistant that may call tools and get results. */
const conversationStep = (tools: readonly ToolDefinition[]): fc.Arbitrary<ConversationTurn[]> =>
  fc
    .record({
      user: fc.array(fc.oneof(text, text, image), { minLength: 1, maxLength: 3 }),
      said: fc.option(words, { nil: undefined }),
      calls: fc.array(fc.record({ tool: fc.nat(), input: object, result: words, isError: fc.boolean() }), {
        maxLength: tools.length === 0 ? 0 : 3,
      }),
      system: fc.option(words, { nil: undefined, freq: 4 }),
    })
    .map(({ user, said, calls, system }): ConversationTurn[] => {
      const parts: ContentPart[] = said === undefined ? [] : [{ type: 'text', text: said }];
      const results: ToolResultPart[] = [];
      for (const [index, call] of calls.entries()) {
        const tool = tools[call.tool % tools.length];
        if (!tool) continue;
        const id = `call_${said?.length ?? 0}_${index}_${call.tool}`;
        const freeform = tool.kind === 'freeform';
        parts.push({
          type: 'call',
          id,
          name: tool.name,
          input: freeform ? call.result : JSON.stringify(call.input),
          freeform,
        });
        results.push({
          type: 'result',
          id,
          parts: [{ type: 'text', text: call.result }],
          isError: call.isError,
        });
      }
      const turns: ConversationTurn[] = [{ role: 'user', parts: user }];
      if (parts.length > 0) turns.push({ role: 'assistant', parts });
      if (results.length > 0) turns.push({ role: 'user', parts: results });
      if (system !== undefined) turns.push({ role: 'system', parts: [{ type: 'text', text: system }] });
      return turns;
    });

const arbitraryTools = (freeform: boolean): fc.Arbitrary<ToolDefinition[]> =>
  fc.uniqueArray(name, { maxLength: 4 }).chain((names) =>
    fc.tuple(
      ...names.map(
        (tool): fc.Arbitrary<ToolDefinition> =>
          fc
            .record({
              freeform: fc.boolean(),
              description: fc.option(words, { nil: undefined }),
              strict: fc.option(fc.boolean(), { nil: undefined }),
            })
            .map((given) =>
              given.freeform && freeform
                ? { kind: 'freeform', name: tool, description: given.description }
                : {
                    kind: 'function',
                    name: tool,
                    description: given.description,
                    strict: given.strict,
                    schema: { type: 'object', properties: { a: { type: 'string' } } },
                  },
            ),
      ),
    ),
  );

/** A conversation as the readers give it: repaired, system text first. */
export const arbitraryRequests = (freeform: boolean): fc.Arbitrary<CanonicalRequest> =>
  arbitraryTools(freeform).chain((given) =>
    fc
      .record({
        system: fc.array(text, { maxLength: 2 }),
        steps: fc.array(conversationStep(given), { minLength: 1, maxLength: 4 }),
        last: words,
        maxTokens: fc.option(fc.integer({ min: 16, max: 100_000 }), { nil: undefined }),
        temperature: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
        choice: fc.option(fc.constantFrom('auto', 'none', 'required', 'named'), { nil: undefined }),
        parallelTools: fc.option(fc.constant(false), { nil: undefined }),
        schema: fc.option(fc.constant({ type: 'object', properties: { x: { type: 'number' } } }), {
          nil: undefined,
        }),
        effort: fc.option(fc.constantFrom('low', 'medium', 'high'), { nil: undefined }),
      })
      .map(({ steps, choice, schema, effort, last, ...rest }): CanonicalRequest => {
        const first = given[0];
        const named =
          choice === 'named' && first ? ({ mode: 'named', name: first.name } as const) : undefined;
        const mode = choice === 'named' ? 'auto' : choice;
        return emptyRequest({
          ...rest,
          parallelTools: given.length > 0 ? rest.parallelTools : undefined,
          turns: uniqueIds([...steps.flat(), { role: 'user', parts: [{ type: 'text', text: last }] }]),
          tools: given,
          toolChoice: given.length === 0 ? undefined : (named ?? (mode === undefined ? undefined : { mode })),
          format: schema === undefined ? undefined : { type: 'schema', name: 'shape', schema, strict: true },
          reasoning: effort === undefined ? undefined : { effort },
        });
      }),
  );

function uniqueIds(turns: readonly ConversationTurn[]): ConversationTurn[] {
  let turn = 0;
  return turns.map(({ role, parts }) => {
    if (role === 'assistant') turn += 1;
    return {
      role,
      parts: parts.map((part) =>
        part.type === 'call' || part.type === 'result' ? { ...part, id: `${part.id}_${turn}` } : part,
      ),
    };
  });
}

const block: fc.Arbitrary<ResponseBlock> = fc.oneof(
  words.map((value): ResponseBlock => ({ kind: 'text', text: value })),
  words.map((value): ResponseBlock => ({ kind: 'reasoning', text: value })),
  fc.record({ name, input: object, empty: fc.boolean() }).map(
    ({ name: tool, input, empty }): ResponseBlock => ({
      kind: 'tool',
      id: '',
      name: tool,
      freeform: false,
      text: empty ? '' : JSON.stringify(input),
    }),
  ),
  words.map((value): ResponseBlock => ({ kind: 'refusal', text: value })),
  words.map((value): ResponseBlock => ({ kind: 'reasoning', text: '', seal: { dialect: 'gemini', value } })),
);
const usage: fc.Arbitrary<Usage> = fc
  .record({ input: fc.nat(5_000), part: fc.double({ min: 0, max: 1, noNaN: true }), output: fc.nat(5_000) })
  .map(({ input, part, output }) => ({
    units: {
      input,
      cached: Math.floor(input * part),
      output,
      reasoning: Math.floor(output * part),
    },
  }));

/** A random answer as a stream: its blocks grow side by side, in random pieces. */
export const arbitraryAnswerStreams: fc.Arbitrary<ResponseEvent[]> = fc
  .record({
    blocks: fc.array(block, { maxLength: 6 }),
    usage: fc.option(usage, { nil: undefined }),
    ending: fc.constantFrom<FinishReason>('stop', 'length', 'refusal'),
    order: fc.infiniteStream(fc.nat(1_000)),
  })
  .map(({ blocks, usage: counted, ending, order }) => {
    const events: ResponseEvent[] = [{ type: 'start', id: 'a', model: 'm' }];
    const queues = blocks.map((given, index) => toStreamEvents(given, index));
    for (const pick of order) {
      const alive = queues.filter((queue) => queue.length > 0);
      const event = alive[pick % Math.max(alive.length, 1)]?.shift();
      if (!event) break;
      events.push(event);
    }
    if (counted) events.push({ type: 'usage', usage: counted });
    const calls = blocks.some((given) => given.kind === 'tool');
    const reason = ending === 'stop' && calls ? 'tool' : ending;
    const raw = { stop: 'stop', tool: 'tool_calls', length: 'length', refusal: 'content_filter', other: 'x' }[
      reason
    ];
    return [...events, { type: 'finish', reason, raw }];
  });

function toStreamEvents(given: ResponseBlock, block: number): ResponseEvent[] {
  const open: ResponseEvent =
    given.kind === 'tool'
      ? { type: 'open', block, kind: 'tool', id: `call_${block}`, name: given.name }
      : { type: 'open', block, kind: given.kind };
  const deltas = (given.text.match(/[\s\S]{1,7}/gu) ?? []).map(
    (piece): ResponseEvent => ({ type: 'delta', block, text: piece }),
  );
  return [
    open,
    ...deltas,
    { type: 'close', block, seal: given.kind === 'reasoning' ? given.seal : undefined },
  ];
}
