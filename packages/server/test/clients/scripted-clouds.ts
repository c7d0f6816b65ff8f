// The script of scripted-model.ts in the words of Converse and Cohere: the stream's events, and what they add up to.
import type { JsonObject } from '@floe/contract/json';
import { convertSseToEventStream } from '@floe/testkit/amazon-event-stream';
import { createJsonReply, createSseReply, type UpstreamReply } from '@floe/testkit/upstream-reply';
import { assembleCohereAnswer, assembleConverseAnswer } from '../cloud-answer-content.ts';
import { toBinaryReply } from '../upstream-samples.ts';
import type { ScriptedTurn } from './scripted-model.ts';

export function scriptedConverseReply(turn: ScriptedTurn, isStream: boolean): UpstreamReply {
  const at = { contentBlockIndex: 0 };
  const content =
    'call' in turn
      ? [
          [
            'contentBlockStart',
            { ...at, start: { toolUse: { name: turn.call.tool, toolUseId: 'tooluse_1' } } },
          ],
          ['contentBlockDelta', { ...at, delta: { toolUse: { input: JSON.stringify(turn.call.input) } } }],
        ]
      : [['contentBlockDelta', { ...at, delta: { text: turn.text } }]];
  const usage = { inputTokens: 100, outputTokens: 10, totalTokens: 110 };
  const events: [string, JsonObject][] = [
    ['messageStart', { role: 'assistant' }],
    ...content.map(([name, data]): [string, JsonObject] => [String(name), Object(data)]),
    ['contentBlockStop', at],
    ['messageStop', { stopReason: 'call' in turn ? 'tool_use' : 'end_turn' }],
    ['metadata', { metrics: { latencyMs: 1 }, usage }],
  ];
  if (!isStream)
    return createJsonReply(assembleConverseAnswer(events.map(([, data]) => ({ event: '', data }))));
  const text = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
  return toBinaryReply(convertSseToEventStream(text));
}

export function scriptedCohereReply(turn: ScriptedTurn, isStream: boolean): UpstreamReply {
  const piece = (type: string, message: JsonObject) => ({ type, index: 0, delta: { message } });
  const called = 'call' in turn && {
    id: 'call_1',
    type: 'function',
    function: { name: turn.call.tool, arguments: JSON.stringify(turn.call.input) },
  };
  const message = { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] };
  const usage = { tokens: { input_tokens: 100, output_tokens: 10 } };
  const content = called
    ? [piece('tool-call-start', { tool_calls: called }), { type: 'tool-call-end', index: 0 }]
    : [
        piece('content-start', { content: { type: 'text', text: '' } }),
        piece('content-delta', { content: { text: 'text' in turn ? turn.text : '' } }),
        { type: 'content-end', index: 0 },
      ];
  const events: JsonObject[] = [
    { type: 'message-start', id: 'co-1', delta: { message } },
    ...content,
    { type: 'message-end', delta: { finish_reason: called ? 'TOOL_CALL' : 'COMPLETE', usage } },
  ];
  return isStream
    ? createSseReply([...events, 'data: [DONE]\n\n'])
    : createJsonReply(assembleCohereAnswer(events));
}
