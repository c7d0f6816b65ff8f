// Bodies as IDEs send them, in our own words: one per shape that was seen, for every test that needs them.
import type { JsonObject } from '@floe/contract/json';

const READ = { name: 'read_file', description: 'Reads a file.', parameters: objectOf('path') };

function objectOf(...members: readonly string[]): JsonObject {
  return {
    type: 'object',
    properties: Object.fromEntries(members.map((name) => [name, { type: 'string' }])),
  };
}

export interface IdeBody {
  readonly name: string;
  readonly body: JsonObject;
}

/** Without `model` and `stream`, which each test says itself. */
export const IDE_BODIES: readonly IdeBody[] = [
  {
    name: 'chat, effort in an object, results beside each other',
    body: {
      temperature: 0,
      user: 'account-7',
      tool_choice: 'auto',
      reasoning: { effort: 'minimal' },
      messages: [
        { role: 'system', content: 'You help with code.' },
        { role: 'user', content: 'The repository is small.' },
        { role: 'user', content: 'Where is the parser?' },
        {
          role: 'assistant',
          content: 'I will look.',
          tool_calls: [
            {
              type: 'function',
              id: 'call_a',
              index: 0,
              function: { name: 'read_file', arguments: '{"path":"a"}' },
            },
            {
              type: 'function',
              id: 'call_b',
              index: 1,
              function: { name: 'read_file', arguments: '{"path":"b"}' },
            },
          ],
        },
        { role: 'tool', name: 'read_file', tool_call_id: 'call_a', content: 'alpha' },
        { role: 'tool', name: 'read_file', tool_call_id: 'call_b', content: 'beta' },
      ],
      tools: [{ type: 'function', function: READ }],
    },
  },
  {
    name: 'responses at the chat path',
    body: {
      stream_options: { include_usage: true },
      input: [
        { role: 'developer', content: 'You help with code.' },
        { role: 'user', content: [{ type: 'input_text', text: 'Where is the parser?' }] },
        { type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a"}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'alpha' },
        { role: 'user', content: 'And the lexer?' },
      ],
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'medium', summary: 'auto' },
      text: { verbosity: 'low' },
      store: false,
      prompt_cache_retention: '24h',
      previous_response_id: null,
      truncation: 'disabled',
      service_tier: 'default',
      metadata: { cursorConversationId: 'conversation-1', cursorRequestId: 'request-1' },
      user: 'account-7',
      tools: [
        { type: 'function', ...READ },
        {
          type: 'custom',
          name: 'ApplyPatch',
          description: 'Applies a patch.',
          format: { type: 'grammar', syntax: 'lark', definition: 'start: "patch"' },
        },
      ],
    },
  },
  {
    name: 'chat with a flat freeform tool',
    body: {
      messages: [
        { role: 'user', content: 'Patch it.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_p', type: 'function', function: { name: 'ApplyPatch', arguments: '*** Begin\n+x' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_p', content: 'done' },
        { role: 'user', content: 'Once more.' },
      ],
      tool_choice: 'required',
      tools: [
        { type: 'function', function: READ },
        { type: 'custom', name: 'ApplyPatch', format: { type: 'text' } },
      ],
    },
  },
  {
    name: 'messages at the chat path',
    body: {
      max_tokens: 4096,
      system: [{ type: 'text', text: 'You help with code.', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'Shell', description: 'Runs a command.', input_schema: objectOf('command') }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'List it.', cache_control: { type: 'ephemeral' } }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
            { type: 'text', text: 'Listing.' },
            { type: 'tool_use', id: 'toolu_1', name: 'Shell', input: { command: 'ls' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'a b' }] },
            { type: 'text', text: 'And now?' },
          ],
        },
      ],
    },
  },
  {
    name: 'responses input with blocks of messages in it',
    body: {
      instructions: 'You help with code.',
      input: [
        { type: 'message', role: 'user', content: [{ type: 'text', text: 'List it.' }] },
        {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              tool_call_id: 'toolu_2',
              function: { name: 'Shell', arguments: '{"command":"ls"}' },
            },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_call_id: 'toolu_2', content: 'a b', is_error: true }],
        },
      ],
      tools: [{ name: 'Shell', parameters: objectOf('command') }],
    },
  },
  {
    name: 'both conversations, only one with results',
    body: {
      input: [{ role: 'user', content: 'List it.' }],
      messages: [
        { role: 'user', content: 'List it.' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'ls', arguments: '' } }],
        },
        {
          role: 'tool',
          tool_call_id: 'c',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ],
      tools: [{ type: 'function', function: { name: 'ls' } }],
    },
  },
  {
    name: 'known malformations',
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: '  ' },
            { type: 'text', text: 'Go on.' },
          ],
        },
        { role: 'assistant', content: 'So far.', tool_calls: [] },
        { role: 'tool', tool_call_id: 'gone', content: 'orphan' },
        {
          role: 'assistant',
          content: [],
          tool_calls: [{ id: 'x'.repeat(80), function: { name: 'ls', arguments: {} } }],
        },
        { role: 'user', content: 'Never mind.' },
        { role: 'user', content: '' },
      ],
      tools: [],
      tool_choice: 'auto',
      reasoning: {},
      functions: null,
    },
  },
  {
    name: 'legacy functions',
    body: {
      messages: [
        { role: 'user', content: 'List it.' },
        { role: 'assistant', content: null, function_call: { name: 'ls', arguments: '{}' } },
        { role: 'function', name: 'ls', content: 'a b' },
      ],
      functions: [{ name: 'ls', parameters: null }],
      function_call: { name: 'ls' },
    },
  },
  {
    name: 'an image in each spelling',
    body: {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=', detail: 'low' } },
            { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
            'What is this?',
          ],
        },
      ],
    },
  },
  { name: 'a bare text', body: { input: 'Say hi.' } },
];
