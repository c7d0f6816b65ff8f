import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  continueConversation,
  NEW_PLAYGROUND_PROMPT,
  type PlaygroundPrompt,
  toChatRequestBody,
  validatePrompt,
} from './chat-request.ts';
import { applyChatEvent, EMPTY_CHAT_RESPONSE, SseDataParser } from './chat-stream.ts';
import { parseRequestBodyAsPrompt } from './parse-request-body.ts';
import { buildRequestSnippets } from './request-snippets.ts';
import { playgroundText } from './text.ts';

const ASKED: PlaygroundPrompt = {
  ...NEW_PLAYGROUND_PROMPT,
  system: 'Be short.',
  turns: [{ role: 'user', text: 'It\'s "so"' }],
};

test('a prompt becomes the body that a client would send, without what was left empty', () => {
  assert.deepEqual(toChatRequestBody(ASKED, 'smart'), {
    model: 'smart',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'It\'s "so"' },
    ],
  });
  const picture = {
    ...NEW_PLAYGROUND_PROMPT,
    turns: [{ role: 'user', text: 'What?', images: ['data:image/png;base64,AA'] }],
  } as const;
  assert.deepEqual(toChatRequestBody(picture, 'm')['messages'], [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'What?' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
      ],
    },
  ]);
});

test('an answer in JSON may have to fit a schema', () => {
  const formatOf = (schema: string) =>
    toChatRequestBody({ ...ASKED, json: true, schema }, 'm')['response_format'];
  assert.deepEqual(formatOf(''), { type: 'json_object' });
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  assert.deepEqual(formatOf(JSON.stringify(schema)), {
    type: 'json_schema',
    json_schema: { name: 'answer', schema },
  });
  for (const broken of ['{', '[]', '"object"'])
    assert.equal(validatePrompt({ ...ASKED, json: true, schema: broken })?.field, 'schema', broken);
});

test('what cannot be sent names its field', () => {
  assert.equal(validatePrompt(NEW_PLAYGROUND_PROMPT)?.field, 'turns');
  assert.equal(validatePrompt({ ...ASKED, temperature: '3' })?.field, 'temperature');
  assert.equal(validatePrompt({ ...ASKED, maxTokens: '0' })?.field, 'max_tokens');
  for (const tools of ['{', '{}', '[]', '[1]'])
    assert.equal(validatePrompt({ ...ASKED, tools })?.field, 'tools', tools);
  assert.equal(validatePrompt(ASKED), null);
});

test('a stream is read whole wherever the network cuts it', () => {
  const chunks = [
    '{"choices":[{"delta":{"role":"assistant","content":"Hé"}}]}',
    '{"choices":[{"delta":{"content":"llo"}}]}',
    '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":{"name":"get","arguments":"{\\"a\\""}}]}}]}',
    '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"}]}',
    '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5}}',
    '[DONE]',
  ];
  const text = chunks.map((data) => `data: ${data}\n\n`).join('');
  for (const size of [1, 7, text.length]) {
    const cutter = new SseDataParser();
    let answer = EMPTY_CHAT_RESPONSE;
    for (let at = 0; at < text.length; at += size)
      answer = cutter.push(text.slice(at, at + size)).reduce(applyChatEvent, answer);
    assert.deepEqual(
      [answer.text, answer.calls, answer.finish, answer.inputTokens, answer.outputTokens],
      ['Héllo', [{ id: 'c1', name: 'get', args: '{"a":1}' }], 'tool_calls', 3, 5],
    );
  }
});

test('an error inside a stream is told, and what came before it stays', () => {
  const before = applyChatEvent(EMPTY_CHAT_RESPONSE, '{"choices":[{"delta":{"content":"Half"}}]}');
  const after = applyChatEvent(
    before,
    '{"error":{"message":"The provider stopped.","code":"upstream_error"}}',
  );
  assert.deepEqual([after.text, after.failure?.code], ['Half', 'upstream_error']);
  assert.equal(applyChatEvent(after, 'not json'), after);
});

test('a conversation goes on with an empty message, or with one result for each call', () => {
  assert.deepEqual(
    continueConversation(ASKED, { text: 'Yes', calls: [] }).turns.map(({ role }) => role),
    ['user', 'assistant', 'user'],
  );
  const called = continueConversation(ASKED, { text: '', calls: [{ id: 'c1', name: 'get', args: '{}' }] });
  const body = toChatRequestBody(called, 'm')['messages'];
  assert.deepEqual(Array.isArray(body) ? body.slice(2) : [], [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'get', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: '{"ok":true}' },
  ]);
});

test('copied code holds the key by its name, and quotes survive the shell', () => {
  const copies = buildRequestSnippets({ ...ASKED, json: true }, ['smart'], 'http://floe.test/gateway');
  assert.equal(copies.length, 6);
  for (const { label, code } of copies) {
    assert.match(code, /FLOE_API_KEY/, label);
    assert.match(code, /http:\/\/floe\.test\/gateway/, label);
  }
  assert.match(copies[0]?.code ?? '', /It'\\''s/);
  assert.match(copies[1]?.code ?? '', /"content": "It's \\"so\\""/);
});

test('code for two models asks both and says which answered', () => {
  const copies = buildRequestSnippets(ASKED, ['smart', 'groq/fast'], 'http://floe.test/gateway');
  for (const { label, code } of copies) {
    assert.equal(code.split('groq/fast').length, 2, label);
    assert.equal(code.split('smart').length, 2, label);
  }
  assert.match(copies[1]?.code ?? '', /^for model in \["smart", "groq\/fast"\]:$/m);
  assert.match(copies[3]?.code ?? '', /^for \(const model of \["smart","groq\/fast"\]\) \{$/m);
});

test('a kept request of any surface becomes a prompt', () => {
  const chat = parseRequestBodyAsPrompt(
    JSON.stringify(toChatRequestBody({ ...ASKED, temperature: '0.5', maxTokens: '9' }, 'smart')),
  );
  assert.deepEqual(
    [chat?.model, chat?.prompt.system, chat?.prompt.temperature, chat?.prompt.maxTokens],
    ['smart', 'Be short.', '0.5', '9'],
  );
  const messages = parseRequestBodyAsPrompt(
    '{"model":"m","system":[{"type":"text","text":"S"}],"messages":[{"role":"user","content":"Hi"}]}',
  );
  assert.deepEqual([messages?.prompt.system, messages?.prompt.turns], ['S', [{ role: 'user', text: 'Hi' }]]);
  const responses = parseRequestBodyAsPrompt(
    '{"model":"m","instructions":"S","input":[{"role":"user","content":[{"type":"input_text","text":"Hi"}]},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"7"}]}',
  );
  assert.deepEqual(
    responses?.prompt.turns?.map(({ role, text }) => [role, text]),
    [
      ['user', 'Hi'],
      ['assistant', ''],
      ['tool', '7'],
    ],
  );
  assert.equal(parseRequestBodyAsPrompt('half a bo'), null);
});

test('a loaded request keeps its images and the format of its response', () => {
  const image = 'data:image/png;base64,AAAA';
  const schema = { type: 'object', properties: { n: { type: 'integer' } } };
  const asked: PlaygroundPrompt = {
    ...ASKED,
    turns: [
      { role: 'user', text: 'What?', images: [image] },
      { role: 'assistant', text: 'A cat.' },
      { role: 'user', text: '', images: [image] },
    ],
    json: true,
    schema: JSON.stringify(schema, null, 2),
  };
  const chat = parseRequestBodyAsPrompt(JSON.stringify(toChatRequestBody(asked, 'm')));
  assert.deepEqual({ ...NEW_PLAYGROUND_PROMPT, ...chat?.prompt }, asked);
  assert.deepEqual(chat?.notLoaded, []);
  for (const body of [
    {
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: image }] }],
      text: { format: { type: 'json_schema', name: 'n', schema } },
    },
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }],
        },
      ],
      response_format: { type: 'json_object' },
    },
  ]) {
    const loaded = parseRequestBodyAsPrompt(JSON.stringify({ model: 'm', ...body }));
    assert.deepEqual(loaded?.prompt.turns, [{ role: 'user', text: '', images: [image] }]);
    assert.deepEqual([loaded?.prompt.json, loaded?.notLoaded], [true, []]);
  }
});

test('what is not loaded from a request is listed', () => {
  const loaded = parseRequestBodyAsPrompt(
    JSON.stringify({
      model: 'm',
      stream: true,
      messages: [
        { role: 'system', content: 'A' },
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } }],
        },
        { role: 'system', content: 'B' },
      ],
      tools: [{ name: 'f', input_schema: {} }],
      top_p: 0.1,
      stop: ['x'],
      user: null,
      response_format: { type: 'grammar' },
    }),
  );
  assert.deepEqual(loaded?.notLoaded, [
    'tools',
    'top_p',
    'stop',
    'response_format',
    'image url, 73 B',
    'the position of later system messages',
  ]);
  assert.deepEqual(loaded?.prompt.turns, NEW_PLAYGROUND_PROMPT.turns);
  const none = { model: 'm', tools: [], messages: [{ role: 'user', content: 'Hi' }] };
  const plain = parseRequestBodyAsPrompt(JSON.stringify(none));
  assert.deepEqual([plain?.notLoaded, plain?.prompt.tools], [[], '']);
});

test('what a tool result contains besides text is listed', () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const file = { type: 'input_file', file_id: 'f' };
  const text = { type: 'text', text: 'one' };
  for (const [messages, turn, notLoaded] of [
    [
      [{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: [text, image, text] }] }],
      'one\none',
      ['image, 82 B'],
    ],
    [[{ type: 'function_call_output', call_id: 'c', output: [file] }], '', ['input file, 35 B']],
    [[{ role: 'tool', tool_call_id: 'c', content: [image] }], '', ['image, 82 B']],
  ] as const) {
    const loaded = parseRequestBodyAsPrompt(JSON.stringify({ model: 'm', input: messages }));
    assert.deepEqual(loaded?.prompt.turns, [{ role: 'tool', text: turn, callId: 'c' }]);
    assert.deepEqual(loaded?.notLoaded, notLoaded);
  }
});

test('a legacy function call and a refusal are loaded', () => {
  const messages = [
    { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    { role: 'assistant', content: null, refusal: 'No.' },
  ];
  assert.deepEqual(parseRequestBodyAsPrompt(JSON.stringify({ model: 'm', messages }))?.prompt.turns, [
    { role: 'assistant', text: '', calls: [{ id: '', name: 'f', args: '{}' }] },
    { role: 'assistant', text: 'No.' },
  ]);
});

test('members of a response format that the form does not have are listed', () => {
  const schema = { type: 'object' };
  const notLoaded = (body: object) =>
    parseRequestBodyAsPrompt(
      JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...body }),
    )?.notLoaded;
  const chat = { name: 'n', schema, strict: true, description: 'D' };
  assert.deepEqual(notLoaded({ response_format: { type: 'json_schema', json_schema: chat } }), [
    'response_format.json_schema.strict',
    'response_format.json_schema.description',
  ]);
  const plain = { name: 'n', schema, strict: null };
  assert.deepEqual(notLoaded({ response_format: { type: 'json_schema', json_schema: plain } }), []);
  assert.deepEqual(notLoaded({ text: { format: { type: 'json_schema', ...chat } } }), [
    'text.format.strict',
    'text.format.description',
  ]);
});

test('a long list of what was not loaded is cut', () => {
  const parts = Array.from({ length: 15 }, (_, at) => `image, ${at} B`);
  assert.equal(
    playgroundText.load.notLoaded(parts.slice(0, 2)),
    'Not loaded from the request: image, 0 B; image, 1 B.',
  );
  assert.match(playgroundText.load.notLoaded(parts.slice(0, 12)), /; image, 11 B\.$/);
  assert.match(playgroundText.load.notLoaded(parts), /; image, 11 B; and 3 more\.$/);
});

test('code for the Anthropic SDK and the AI SDK contains images, and states what it leaves out', () => {
  const image = 'data:image/png;base64,AAAA';
  const prompt: PlaygroundPrompt = {
    ...NEW_PLAYGROUND_PROMPT,
    turns: [{ role: 'user', text: '', images: [image] }],
  };
  const copies = buildRequestSnippets(prompt, ['m'], 'http://floe.test/gateway');
  const anthropic = copies.filter(({ label }) => label.endsWith('Anthropic'));
  assert.equal(anthropic.length, 2);
  for (const { code } of anthropic) {
    assert.match(code, /"media_type": "image\/png"/);
    assert.match(code, /"data": "AAAA"/);
  }
  assert.match(copies.at(-1)?.code ?? '', /"image": "data:image\/png;base64,AAAA"/);
  assert.ok(copies.every(({ omitted }) => omitted.length === 0));
  const full = continueConversation(
    { ...prompt, tools: '[{"type":"function","function":{"name":"f"}}]', json: true },
    { text: '', calls: [{ id: 'c', name: 'f', args: '{}' }] },
  );
  for (const { label, omitted } of buildRequestSnippets(full, ['m'], 'http://floe.test/gateway'))
    assert.deepEqual(
      omitted,
      label.endsWith('Anthropic') || label === 'AI SDK'
        ? ['tools', 'tool calls and results', 'the JSON response format']
        : [],
      label,
    );
  assert.equal(
    playgroundText.page.codeCopied('AI SDK', ['tools']),
    'AI SDK code copied. It reads the key from $FLOE_API_KEY. Not included: tools.',
  );
});
