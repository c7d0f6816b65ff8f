// What clients can say in a request, one feature each, with the mark it leaves where it is carried. For tests of translation.
import { Buffer } from 'node:buffer';
import type { Json, JsonObject } from '@floe/contract/json';

export type FeatureClient = 'chat' | 'responses' | 'messages';

export interface Feature {
  readonly client: FeatureClient;
  readonly name: string;
  /** The whole request; its model is `m`. */
  readonly body: JsonObject;
  /** Any of these stands in a request that carries the feature. */
  readonly marks: readonly string[];
  /** What its loss is called, when it is one. */
  readonly lost: RegExp;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const PDF = base64('%PDF-1.4 mark-of-the-file');
const SCHEMA: JsonObject = {
  type: 'object',
  properties: { place: { type: 'string' } },
  required: ['place'],
  additionalProperties: false,
};
const MARKED = { type: 'ephemeral' };
const turn = (...content: Json[]): JsonObject => ({ role: 'user', content });
const ASKED = { role: 'user', content: 'How cold is it?' };
const FOUR_PLUS = ['halt-1', 'halt-2', 'halt-3', 'halt-4', 'halt-5', 'halt-6'];

type Row = readonly [name: string, more: JsonObject, marks: string | readonly string[], lost: RegExp];

const CHAT_TOOL: JsonObject = {
  type: 'function',
  function: { name: 'look_up', description: 'desc-7', parameters: SCHEMA },
};
const CHAT_CALL: JsonObject = {
  role: 'assistant',
  content: null,
  tool_calls: [
    { id: 'call_7', type: 'function', function: { name: 'look_up', arguments: '{"place":"args-7"}' } },
  ],
};
const chatFile = (file: JsonObject): JsonObject => ({
  messages: [turn({ type: 'file', file }, { type: 'text', text: 'Read it.' })],
});
const chatImage = (image_url: JsonObject): JsonObject => ({
  messages: [turn({ type: 'image_url', image_url })],
});

const CHAT: readonly Row[] = [
  ['system text', { messages: [{ role: 'system', content: 'sys-7' }, ASKED] }, 'sys-7', /^system/],
  ['developer text', { messages: [{ role: 'developer', content: 'sys-7' }, ASKED] }, 'sys-7', /^system/],
  [
    'system text of several parts',
    {
      messages: [
        {
          role: 'system',
          content: [
            { type: 'text', text: 'sys-6' },
            { type: 'text', text: 'sys-7' },
          ],
        },
        ASKED,
      ],
    },
    'sys-7',
    /^system/,
  ],
  [
    'system text in the middle',
    { messages: [ASKED, { role: 'system', content: 'sys-7' }, ASKED] },
    'sys-7',
    /^system/,
  ],
  [
    'a picture in a system message',
    {
      messages: [
        {
          role: 'system',
          content: [
            { type: 'text', text: 's' },
            { type: 'image_url', image_url: { url: 'https://x.test/pic-7.png' } },
          ],
        },
        ASKED,
      ],
    },
    'pic-7',
    /^system/,
  ],
  ['name of a participant', { messages: [{ ...ASKED, name: 'ada-7' }] }, 'ada-7', /name/],
  ['picture by data', chatImage({ url: `data:image/png;base64,${PIXEL}` }), PIXEL, /image/],
  ['picture by address', chatImage({ url: 'https://x.test/pic-7.png' }), 'pic-7', /image/],
  [
    'detail of a picture',
    chatImage({ url: `data:image/png;base64,${PIXEL}`, detail: 'low' }),
    '"detail":"low"',
    /detail/,
  ],
  ['picture of an unusual type', chatImage({ url: `data:image/bmp;base64,${PIXEL}` }), PIXEL, /image/],
  [
    'PDF document',
    chatFile({ filename: 'file-7.pdf', file_data: `data:application/pdf;base64,${PDF}` }),
    PDF,
    /file/,
  ],
  [
    'name of a file',
    chatFile({ filename: 'file-7.pdf', file_data: `data:application/pdf;base64,${PDF}` }),
    'file-7',
    /filename/,
  ],
  [
    'text file',
    chatFile({ filename: 'a.txt', file_data: `data:text/plain;base64,${base64('words-7')}` }),
    ['words-7', base64('words-7')],
    /file/,
  ],
  [
    'text file that says its charset',
    chatFile({ filename: 'a.txt', file_data: `data:text/plain;charset=utf-8;base64,${base64('words-7')}` }),
    ['words-7', base64('words-7')],
    /file/,
  ],
  [
    'text file that is not in base64',
    chatFile({ filename: 'a.txt', file_data: 'data:text/plain,words-7' }),
    ['words-7', base64('words-7')],
    /file/,
  ],
  [
    'table',
    chatFile({ filename: 'a.csv', file_data: `data:text/csv;base64,${base64('a,b\nwords-7,1')}` }),
    ['words-7', base64('a,b\nwords-7,1')],
    /file/,
  ],
  [
    'JSON file',
    chatFile({ filename: 'a.json', file_data: `data:application/json;base64,${base64('{"a":"words-7"}')}` }),
    ['words-7', base64('{"a":"words-7"}')],
    /file/,
  ],
  [
    'office document',
    chatFile({
      filename: 'a.docx',
      file_data: `data:application/vnd.openxmlformats-officedocument.wordprocessingml.document;base64,${PDF}`,
    }),
    PDF,
    /file/,
  ],
  ['archive', chatFile({ filename: 'a.zip', file_data: `data:application/zip;base64,${PDF}` }), PDF, /file/],
  [
    'sound',
    { messages: [turn({ type: 'input_audio', input_audio: { data: base64('sound-7'), format: 'wav' } })] },
    base64('sound-7'),
    /audio/,
  ],
  ['tool', { messages: [ASKED], tools: [CHAT_TOOL] }, 'desc-7', /^tools/],
  [
    'strict tool',
    {
      messages: [ASKED],
      tools: [{ type: 'function', function: { name: 'look_up', parameters: SCHEMA, strict: true } }],
    },
    '"strict":true',
    /strict/,
  ],
  [
    'freeform tool',
    { messages: [ASKED], tools: [{ type: 'custom', custom: { name: 'look_up', description: 'desc-7' } }] },
    'desc-7',
    /^tools/,
  ],
  [
    'grammar of a tool',
    {
      messages: [ASKED],
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'look_up',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: grammar7' } },
          },
        },
      ],
    },
    'grammar7',
    /^tools/,
  ],
  [
    'more than is known of a tool',
    { messages: [ASKED], tools: [{ ...CHAT_TOOL, priority: 'more-7' }] },
    'more-7',
    /^tools/,
  ],
  [
    'call and result',
    {
      messages: [ASKED, CHAT_CALL, { role: 'tool', tool_call_id: 'call_7', content: 'result-7' }],
      tools: [CHAT_TOOL],
    },
    'result-7',
    /^tool/,
  ],
  [
    'arguments of a call',
    {
      messages: [ASKED, CHAT_CALL, { role: 'tool', tool_call_id: 'call_7', content: 'r' }],
      tools: [CHAT_TOOL],
    },
    'args-7',
    /^tool/,
  ],
  [
    'result of several parts',
    {
      messages: [
        ASKED,
        CHAT_CALL,
        {
          role: 'tool',
          tool_call_id: 'call_7',
          content: [
            { type: 'text', text: 'result-6' },
            { type: 'text', text: 'result-7' },
          ],
        },
      ],
      tools: [CHAT_TOOL],
    },
    'result-7',
    /^tool/,
  ],
  [
    'result nobody asked for',
    { messages: [ASKED, { role: 'tool', tool_call_id: 'call_0', content: 'result-7' }], tools: [CHAT_TOOL] },
    'result-7',
    /never/,
  ],
  [
    'choice of a tool',
    {
      messages: [ASKED],
      tools: [CHAT_TOOL, { type: 'function', function: { name: 'other', parameters: SCHEMA } }],
      tool_choice: { type: 'function', function: { name: 'look_up' } },
    },
    ['"name":"look_up"'],
    /tool_choice/,
  ],
  [
    'one call at a time',
    { messages: [ASKED], tools: [CHAT_TOOL], parallel_tool_calls: false },
    ['"parallel_tool_calls":false', '"disable_parallel_tool_use":true'],
    /parallel/,
  ],
  [
    'schema of the answer',
    {
      messages: [ASKED],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'shape', schema: { ...SCHEMA, title: 'schema-7' } },
      },
    },
    'schema-7',
    /response_format|schema/,
  ],
  [
    'description of the schema',
    {
      messages: [ASKED],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'shape', description: 'schema-7', schema: SCHEMA },
      },
    },
    'schema-7',
    /response_format/,
  ],
  [
    'JSON mode',
    { messages: [ASKED], response_format: { type: 'json_object' } },
    ['json_object', 'application/json'],
    /response_format/,
  ],
  ['temperature', { messages: [ASKED], temperature: 0.41 }, '0.41', /temperature/],
  ['top_p', { messages: [ASKED], top_p: 0.83 }, '0.83', /top_p/],
  ['top_k', { messages: [ASKED], top_k: 37 }, '37', /top_k/],
  ['presence penalty', { messages: [ASKED], presence_penalty: 0.37 }, '0.37', /presence/],
  ['frequency penalty', { messages: [ASKED], frequency_penalty: 0.29 }, '0.29', /frequency/],
  ['seed', { messages: [ASKED], seed: 4242 }, '4242', /seed/],
  ['limit of the answer', { messages: [ASKED], max_completion_tokens: 777 }, '777', /max/],
  ['stop sequence', { messages: [ASKED], stop: ['halt-7'] }, 'halt-7', /stop/],
  ['more stop sequences than most take', { messages: [ASKED], stop: FOUR_PLUS }, 'halt-6', /stop/],
  ['end user', { messages: [ASKED], user: 'user-7' }, 'user-7', /user/],
  ['metadata', { messages: [ASKED], metadata: { trail: 'north-7' } }, 'north-7', /metadata/],
  ['metadata that is no text', { messages: [ASKED], metadata: { trail: 4242 } }, '4242', /metadata/],
  ['service tier', { messages: [ASKED], service_tier: 'flex' }, '"flex"', /service_tier/],
  ['cache key', { messages: [ASKED], prompt_cache_key: 'cache-7' }, 'cache-7', /prompt_cache_key/],
  ['verbosity', { messages: [ASKED], verbosity: 'low' }, '"verbosity":"low"', /verbosity/],
  [
    'effort',
    { messages: [ASKED], reasoning_effort: 'high' },
    ['"high"', 'thinking', 'reasoning'],
    /reasoning/,
  ],
  ['logit bias', { messages: [ASKED], logit_bias: { '50256': -97 } }, '-97', /logit_bias/],
  [
    'prediction',
    { messages: [ASKED], prediction: { type: 'content', content: 'guess-7' } },
    'guess-7',
    /prediction/,
  ],
  [
    'more than is known of the stream',
    { messages: [ASKED], stream: true, stream_options: { include_obfuscation: true } },
    'include_obfuscation',
    /stream_options/,
  ],
  ['several answers', { messages: [ASKED], n: 2 }, '"n":2', /never/],
  ['log probabilities', { messages: [ASKED], logprobs: true }, 'logprobs', /never/],
  ['hosted search', { messages: [ASKED], web_search_options: {} }, 'web_search', /never/],
  [
    'cache mark of a system message',
    { messages: [{ role: 'system', content: [{ type: 'text', text: 's', cache_control: MARKED }] }, ASKED] },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a user message',
    { messages: [turn({ type: 'text', text: 's', cache_control: MARKED })] },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a message',
    { messages: [{ ...ASKED, cache_control: MARKED }] },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a system message as a whole',
    { messages: [{ role: 'system', content: 's', cache_control: MARKED }, ASKED] },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a picture',
    {
      messages: [
        turn({
          type: 'image_url',
          image_url: { url: `data:image/png;base64,${PIXEL}` },
          cache_control: MARKED,
        }),
      ],
    },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a tool',
    { messages: [ASKED], tools: [{ ...CHAT_TOOL, cache_control: MARKED }] },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a result',
    {
      messages: [
        ASKED,
        CHAT_CALL,
        { role: 'tool', tool_call_id: 'call_7', content: 'r', cache_control: MARKED },
      ],
      tools: [CHAT_TOOL],
    },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark inside a result',
    {
      messages: [
        ASKED,
        CHAT_CALL,
        {
          role: 'tool',
          tool_call_id: 'call_7',
          content: [{ type: 'text', text: 'r', cache_control: MARKED }],
        },
      ],
      tools: [CHAT_TOOL],
    },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of the request',
    { messages: [ASKED], cache_control: MARKED },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  ['a member nobody knows', { messages: [ASKED], future_setting: 'more-7' }, 'more-7', /future_setting/],
  [
    'a member of a part nobody knows',
    { messages: [turn({ type: 'text', text: 't', emphasis: 'more-7' })] },
    'more-7',
    /emphasis/,
  ],
];

const RESPONSES_TOOL: JsonObject = {
  type: 'function',
  name: 'look_up',
  description: 'desc-7',
  parameters: SCHEMA,
  strict: false,
};
const RESPONSES_CALL: JsonObject = {
  type: 'function_call',
  call_id: 'call_7',
  name: 'look_up',
  arguments: '{"place":"args-7"}',
};
const responsesFile = (file: JsonObject): JsonObject => ({
  input: [turn({ type: 'input_file', ...file }, { type: 'input_text', text: 'Read it.' })],
});

const RESPONSES: readonly Row[] = [
  ['instructions', { input: [ASKED], instructions: 'sys-7' }, 'sys-7', /^instructions/],
  ['developer text', { input: [{ role: 'developer', content: 'sys-7' }, ASKED] }, 'sys-7', /^system/],
  [
    'picture by data',
    { input: [turn({ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'auto' })] },
    PIXEL,
    /image/,
  ],
  [
    'detail of a picture',
    { input: [turn({ type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'high' })] },
    '"detail":"high"',
    /detail/,
  ],
  [
    'PDF document',
    responsesFile({ filename: 'file-7.pdf', file_data: `data:application/pdf;base64,${PDF}` }),
    PDF,
    /file/,
  ],
  ['document by address', responsesFile({ file_url: 'https://x.test/doc-7.pdf' }), 'doc-7', /file/],
  [
    'text file',
    responsesFile({ filename: 'a.txt', file_data: `data:text/plain;base64,${base64('words-7')}` }),
    ['words-7', base64('words-7')],
    /file/,
  ],
  [
    'table',
    responsesFile({ filename: 'a.csv', file_data: `data:text/csv;base64,${base64('a\nwords-7')}` }),
    ['words-7', base64('a\nwords-7')],
    /file/,
  ],
  [
    'file data without its type',
    responsesFile({ filename: 'a.md', file_data: base64('# words-7') }),
    ['words-7', base64('# words-7')],
    /file/,
  ],
  ['tool', { input: [ASKED], tools: [RESPONSES_TOOL] }, 'desc-7', /^tools/],
  [
    'tools of a namespace',
    { input: [ASKED], tools: [{ type: 'namespace', name: 'space', tools: [RESPONSES_TOOL] }] },
    'desc-7',
    /^tools/,
  ],
  [
    'freeform tool',
    { input: [ASKED], tools: [{ type: 'custom', name: 'look_up', description: 'desc-7' }] },
    'desc-7',
    /^tools/,
  ],
  ['hosted tool', { input: [ASKED], tools: [{ type: 'web_search' }] }, 'web_search', /never/],
  [
    'call and result',
    {
      input: [ASKED, RESPONSES_CALL, { type: 'function_call_output', call_id: 'call_7', output: 'result-7' }],
      tools: [RESPONSES_TOOL],
    },
    'result-7',
    /^tool/,
  ],
  [
    'picture in a result',
    {
      input: [
        ASKED,
        RESPONSES_CALL,
        {
          type: 'function_call_output',
          call_id: 'call_7',
          output: [
            { type: 'input_text', text: 'r' },
            { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` },
          ],
        },
      ],
      tools: [RESPONSES_TOOL],
    },
    PIXEL,
    /image|tool_result/,
  ],
  [
    'result nobody asked for',
    { input: [ASKED, { type: 'function_call_output', call_id: 'call_0', output: 'result-7' }] },
    'result-7',
    /never/,
  ],
  [
    'earlier reasoning',
    {
      input: [
        ASKED,
        {
          type: 'reasoning',
          summary: [{ type: 'summary_text', text: 'thought-7' }],
          encrypted_content: 'proof-7',
        },
        { role: 'assistant', content: 'Cold.' },
        ASKED,
      ],
    },
    'proof-7',
    /reasoning/,
  ],
  [
    'choice among tools',
    {
      input: [ASKED],
      tools: [RESPONSES_TOOL, { ...RESPONSES_TOOL, name: 'other', description: 'desc-8' }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'look_up' }] },
    },
    ['allowed_tools', 'desc-7'],
    /tool_choice/,
  ],
  [
    'schema of the answer',
    {
      input: [ASKED],
      text: { format: { type: 'json_schema', name: 'shape', schema: { ...SCHEMA, title: 'schema-7' } } },
    },
    'schema-7',
    /schema/,
  ],
  ['verbosity', { input: [ASKED], text: { verbosity: 'low' } }, '"verbosity":"low"', /verbosity/],
  ['a member of text nobody knows', { input: [ASKED], text: { tone: 'more-7' } }, 'more-7', /^text/],
  [
    'summary of reasoning',
    { input: [ASKED], reasoning: { effort: 'low', summary: 'detailed' } },
    '"summary":"detailed"',
    /reasoning/,
  ],
  [
    'a member of reasoning nobody knows',
    { input: [ASKED], reasoning: { effort: 'low', style: 'more-7' } },
    'more-7',
    /^reasoning/,
  ],
  ['temperature', { input: [ASKED], temperature: 0.41 }, '0.41', /temperature/],
  ['top_p', { input: [ASKED], top_p: 0.83 }, '0.83', /top_p/],
  ['limit of the answer', { input: [ASKED], max_output_tokens: 777 }, '777', /max/],
  ['end user', { input: [ASKED], safety_identifier: 'user-7' }, 'user-7', /user/],
  ['metadata', { input: [ASKED], metadata: { trail: 'north-7' } }, 'north-7', /metadata/],
  ['service tier', { input: [ASKED], service_tier: 'flex' }, '"flex"', /service_tier/],
  ['cache key', { input: [ASKED], prompt_cache_key: 'cache-7' }, 'cache-7', /prompt_cache_key/],
  ['truncation', { input: [ASKED], truncation: 'auto' }, '"truncation":"auto"', /truncation/],
  ['calls at most', { input: [ASKED], max_tool_calls: 17 }, '17', /max_tool_calls/],
  [
    'wishes for the answer',
    { input: [ASKED], include: ['file_search_call.results'] },
    'file_search_call.results',
    /include/,
  ],
  ['background', { input: [ASKED], background: true }, '"background":true', /never/],
  ['a conversation kept elsewhere', { input: [ASKED], conversation: 'conv_7' }, 'conv_7', /never/],
  ['a member of an item nobody knows', { input: [{ ...ASKED, audience: 'more-7' }] }, 'more-7', /audience/],
];

const MESSAGES_TOOL: JsonObject = { name: 'look_up', description: 'desc-7', input_schema: SCHEMA };
const MESSAGES_CALL: JsonObject = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'call_7', name: 'look_up', input: { place: 'args-7' } }],
};
const resultOf = (more: JsonObject): JsonObject =>
  turn({ type: 'tool_result', tool_use_id: 'call_7', ...more });
const document = (
  more: JsonObject,
  source: JsonObject = { type: 'base64', media_type: 'application/pdf', data: PDF },
): JsonObject => ({
  messages: [turn({ type: 'document', source, ...more }, { type: 'text', text: 'Read it.' })],
});
const TEXT_SOURCE: JsonObject = { type: 'text', media_type: 'text/plain', data: 'words-7' };

const MESSAGES: readonly Row[] = [
  ['system text', { messages: [ASKED], system: 'sys-7' }, 'sys-7', /^system/],
  [
    'system text in the middle',
    { messages: [ASKED, { role: 'assistant', content: 'Hm.' }, { role: 'system', content: 'sys-7' }, ASKED] },
    'sys-7',
    /^system/,
  ],
  [
    'picture',
    { messages: [turn({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } })] },
    PIXEL,
    /image/,
  ],
  ['document', document({}), PDF, /file/],
  ['title of a document', document({ title: 'title-7' }), 'title-7', /title|filename/],
  ['context of a document', document({ context: 'context-7' }), 'context-7', /context/],
  [
    'citations of a document',
    document({ citations: { enabled: true } }),
    '"citations":{"enabled":true}',
    /citations/,
  ],
  ['text document', document({}, TEXT_SOURCE), 'words-7', /document/],
  ['title of a text document', document({ title: 'title-7' }, TEXT_SOURCE), 'title-7', /title/],
  ['context of a text document', document({ context: 'context-7' }, TEXT_SOURCE), 'context-7', /context/],
  [
    'citations of a text document',
    document({ citations: { enabled: true } }, TEXT_SOURCE),
    '"citations":{"enabled":true}',
    /citations/,
  ],
  ['document by address', document({}, { type: 'url', url: 'https://x.test/doc-7.pdf' }), 'doc-7', /file/],
  ['tool', { messages: [ASKED], tools: [MESSAGES_TOOL] }, 'desc-7', /^tools/],
  [
    'examples of a tool',
    { messages: [ASKED], tools: [{ ...MESSAGES_TOOL, input_examples: [{ place: 'more-7' }] }] },
    'more-7',
    /^tools/,
  ],
  [
    'a tool to be loaded later',
    { messages: [ASKED], tools: [{ ...MESSAGES_TOOL, defer_loading: true }] },
    '"defer_loading":true',
    /defer_loading/,
  ],
  [
    'hosted tool',
    { messages: [ASKED], tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'web_search',
    /never/,
  ],
  [
    'call and result',
    { messages: [ASKED, MESSAGES_CALL, resultOf({ content: 'result-7' })], tools: [MESSAGES_TOOL] },
    'result-7',
    /^tool/,
  ],
  [
    'failed result',
    {
      messages: [ASKED, MESSAGES_CALL, resultOf({ content: 'result-7', is_error: true })],
      tools: [MESSAGES_TOOL],
    },
    ['Error: result-7', '"is_error":true', '"error":"result-7"', '"status":"error"'],
    /^tool/,
  ],
  [
    'picture in a result',
    {
      messages: [
        ASKED,
        MESSAGES_CALL,
        resultOf({
          content: [
            { type: 'text', text: 'r' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
          ],
        }),
      ],
      tools: [MESSAGES_TOOL],
    },
    PIXEL,
    /image|tool_result/,
  ],
  [
    'text document in a result',
    {
      messages: [
        ASKED,
        MESSAGES_CALL,
        resultOf({ content: [{ type: 'document', source: TEXT_SOURCE, title: 'title-7' }] }),
      ],
      tools: [MESSAGES_TOOL],
    },
    'title-7',
    /title/,
  ],
  [
    'result nobody asked for',
    { messages: [turn({ type: 'tool_result', tool_use_id: 'call_0', content: 'result-7' })] },
    'result-7',
    /never/,
  ],
  [
    'earlier thinking',
    {
      messages: [
        ASKED,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'thought-7', signature: 'proof-7' },
            { type: 'text', text: 'Cold.' },
          ],
        },
        ASKED,
      ],
    },
    'proof-7',
    /reasoning/,
  ],
  [
    'citations of earlier words',
    {
      messages: [
        ASKED,
        {
          role: 'assistant',
          content: [
            {
              type: 'text',
              text: 'Cold.',
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'cited-7',
                  document_index: 0,
                  document_title: null,
                  start_char_index: 0,
                  end_char_index: 4,
                },
              ],
            },
          ],
        },
        ASKED,
      ],
    },
    'cited-7',
    /citations/,
  ],
  [
    'choice of a tool',
    { messages: [ASKED], tools: [MESSAGES_TOOL], tool_choice: { type: 'tool', name: 'look_up' } },
    '"name":"look_up"',
    /tool_choice/,
  ],
  [
    'one call at a time',
    {
      messages: [ASKED],
      tools: [MESSAGES_TOOL],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    ['"parallel_tool_calls":false', '"disable_parallel_tool_use":true'],
    /parallel/,
  ],
  [
    'schema of the answer',
    {
      messages: [ASKED],
      output_config: { format: { type: 'json_schema', schema: { ...SCHEMA, title: 'schema-7' } } },
    },
    'schema-7',
    /schema/,
  ],
  [
    'a member of output_config nobody knows',
    { messages: [ASKED], output_config: { style: 'more-7' } },
    'more-7',
    /output_config/,
  ],
  [
    'thinking',
    { messages: [ASKED], max_tokens: 4096, thinking: { type: 'enabled', budget_tokens: 2048 } },
    ['2048', 'reasoning', 'thinking'],
    /reasoning/,
  ],
  [
    'display of thinking',
    { messages: [ASKED], max_tokens: 4096, thinking: { type: 'adaptive', display: 'omitted' } },
    '"display":"omitted"',
    /display/,
  ],
  ['temperature', { messages: [ASKED], temperature: 0.41 }, '0.41', /temperature/],
  ['top_k', { messages: [ASKED], top_k: 37 }, '37', /top_k/],
  ['limit of the answer', { messages: [ASKED], max_tokens: 777 }, '777', /max/],
  ['stop sequence', { messages: [ASKED], stop_sequences: ['halt-7'] }, 'halt-7', /stop/],
  ['more stop sequences than most take', { messages: [ASKED], stop_sequences: FOUR_PLUS }, 'halt-6', /stop/],
  ['end user', { messages: [ASKED], metadata: { user_id: 'user-7' } }, 'user-7', /user/],
  [
    'more metadata',
    { messages: [ASKED], metadata: { user_id: 'u', trail: 'north-7' } },
    'north-7',
    /metadata/,
  ],
  [
    'service tier',
    { messages: [ASKED], service_tier: 'standard_only' },
    ['standard_only', '"service_tier":"default"', '"type":"default"'],
    /service_tier/,
  ],
  [
    'context management',
    { messages: [ASKED], context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
    'clear_thinking_20251015',
    /context_management/,
  ],
  [
    'MCP servers',
    { messages: [ASKED], mcp_servers: [{ type: 'url', url: 'https://x.test/mcp-7', name: 'm' }] },
    'mcp-7',
    /never/,
  ],
  [
    'cache mark of the system prompt',
    { messages: [ASKED], system: [{ type: 'text', text: 's', cache_control: MARKED }] },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a turn',
    { messages: [turn({ type: 'text', text: 's', cache_control: MARKED })] },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a tool',
    { messages: [ASKED], tools: [{ ...MESSAGES_TOOL, cache_control: MARKED }] },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of a call',
    {
      messages: [
        ASKED,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_7', name: 'look_up', input: {}, cache_control: MARKED }],
        },
        resultOf({ content: 'r' }),
      ],
      tools: [MESSAGES_TOOL],
    },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark inside a result',
    {
      messages: [
        ASKED,
        MESSAGES_CALL,
        resultOf({ content: [{ type: 'text', text: 'r', cache_control: MARKED }] }),
      ],
      tools: [MESSAGES_TOOL],
    },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'cache mark of the request',
    { messages: [ASKED], cache_control: MARKED },
    ['cache_control', 'cachePoint'],
    /cache_control/,
  ],
  [
    'a member of a block nobody knows',
    { messages: [turn({ type: 'text', text: 't', emphasis: 'more-7' })] },
    'more-7',
    /emphasis/,
  ],
];

function features(client: FeatureClient, rows: readonly Row[], base: JsonObject): Feature[] {
  return rows.map(([name, more, marks, lost]) => ({
    client,
    name,
    body: { model: 'm', ...base, ...more },
    marks: typeof marks === 'string' ? [marks] : marks,
    lost,
  }));
}

/** Each alone in a request that says nothing else. */
export const FEATURES: readonly Feature[] = [
  ...features('chat', CHAT, {}),
  ...features('responses', RESPONSES, {}),
  ...features('messages', MESSAGES, { max_tokens: 100 }),
];
