// Whole answers of the dialects only providers speak, made up: words, reasoning and calls in each.
import type { JsonObject } from '@floe/contract/json';
import type { RecordedDialect } from './recordings.ts';

export const WHOLE_ANSWERS: Readonly<
  Record<string, { readonly dialect: RecordedDialect; readonly body: JsonObject }>
> = {
  'gemini whole': {
    dialect: 'gemini',
    body: {
      responseId: 'a',
      modelVersion: 'm',
      candidates: [
        {
          index: 0,
          content: {
            role: 'model',
            parts: [
              { text: 'hm', thought: true, thoughtSignature: 'c2ln' },
              { text: 'hi' },
              { functionCall: { id: 'c1', name: 'f', args: { x: 1 } }, thoughtSignature: 'c2ln' },
            ],
          },
          finishReason: 'STOP',
        },
      ],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4, thoughtsTokenCount: 1 },
    },
  },
  'converse whole': {
    dialect: 'converse',
    body: {
      output: {
        message: {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'hm', signature: 'c2ln' } } },
            { text: 'hi' },
            { toolUse: { toolUseId: 'c1', name: 'f', input: { x: 1 } } },
          ],
        },
      },
      stopReason: 'tool_use',
      usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
    },
  },
  'cohere whole': {
    dialect: 'cohere',
    body: {
      id: 'a',
      message: {
        role: 'assistant',
        tool_plan: 'hm',
        tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
      },
      finish_reason: 'TOOL_CALL',
      usage: { tokens: { input_tokens: 3, output_tokens: 4 } },
    },
  },
  'cohere text': {
    dialect: 'cohere',
    body: {
      id: 'a',
      message: {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm' },
          { type: 'text', text: 'hi' },
        ],
      },
      finish_reason: 'COMPLETE',
      usage: { tokens: { input_tokens: 3, output_tokens: 4 } },
    },
  },
};
