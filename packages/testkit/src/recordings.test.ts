import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import OpenAI from 'openai';
import { splitFrames } from './chunking.ts';
import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts';
import { callHttp, parseSseFrames } from './http-client.ts';
import { parseRecordedEvents } from './recording-events.ts';
import {
  isPlainObject,
  loadProjectRecording,
  loadProjectRecordings,
  type RecordedInteraction,
  type Recording,
} from './recordings.ts';
import { loadSharedRecordings } from './shared-recordings.ts';

/** What every provider of the Chat dialect is recorded with. */
const COMMON = [
  'text',
  'text-stream',
  'tool',
  'parallel-tools-stream',
  'tool-no-args-stream',
  'structured',
  'length-stream',
];

/** The others are recorded for what is peculiar to them. */
const CHAT_PROVIDERS = [
  'deepseek',
  'fireworks',
  'groq',
  'mistral',
  'ollama',
  'openai',
  'openrouter',
  'together',
  'xai',
];

const own = loadProjectRecordings();
const shared = loadSharedRecordings();
const open: FakeUpstream[] = [];
after(() => Promise.all(open.map((upstream) => upstream.close())));

function counted(recordings: readonly Recording[]): string {
  const surfaces = new Map<string, number>();
  for (const { surface } of recordings) surfaces.set(surface, (surfaces.get(surface) ?? 0) + 1);
  const interactions = recordings.reduce((count, recording) => count + recording.interactions.length, 0);
  const list = [...surfaces].sort().map(([surface, count]) => `${surface} ${count}`);
  return `${recordings.length} files, ${interactions} interactions: ${list.join(', ')}`;
}

function only(recording: Recording): RecordedInteraction {
  const [interaction] = recording.interactions;
  assert.ok(interaction);
  return interaction;
}

function isCommonChat({ surface, scenario }: Recording): boolean {
  return surface === 'chat' && COMMON.includes(scenario);
}

function isEventStream({ headers }: RecordedInteraction): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

test('every provider of the Chat dialect has the common scenarios', (context) => {
  context.diagnostic(`own recordings: ${counted(own)}`);
  for (const provider of CHAT_PROVIDERS)
    for (const scenario of COMMON) assert.equal(loadProjectRecording(provider, scenario).surface, 'chat');
});

test('own recordings are well formed: stream flag in the name, events and bodies that parse', () => {
  for (const recording of own) {
    const interaction = only(recording);
    assert.equal(
      interaction.stream,
      recording.scenario.endsWith('-stream') || recording.scenario === 'error-in-stream',
      recording.file,
    );
    const events = parseRecordedEvents(interaction);
    assert.ok(events.length > 0, recording.file);
    for (const { data, value } of events)
      assert.ok(data === '[DONE]' || isPlainObject(value), recording.file);
  }
});

test('parallel tool calls of own recordings carry argument JSON that parses when joined', () => {
  for (const recording of CHAT_PROVIDERS.map((provider) =>
    loadProjectRecording(provider, 'parallel-tools-stream'),
  )) {
    const joined: string[] = [];
    for (const { data } of parseSseFrames(only(recording).body.toString('utf8'))) {
      if (data === '[DONE]') continue;
      for (const call of JSON.parse(data).choices[0]?.delta.tool_calls ?? [])
        joined[call.index] = (joined[call.index] ?? '') + call.function.arguments;
    }
    assert.deepEqual(
      joined.map((text) => JSON.parse(text)),
      [{ station: 'Barneo' }, { station: 'Alert "North"', lang: '日本' }],
      recording.file,
    );
  }
});

test('a replayed recording gives its own status, headers and bytes', async () => {
  for (const recording of own) {
    const upstream = await startFakeUpstream({ recordings: [recording] });
    open.push(upstream);
    const interaction = only(recording);
    const answer = await callHttp(upstream.url + interaction.path, { body: { stream: interaction.stream } });
    assert.equal(answer.status, interaction.status, recording.file);
    assert.deepEqual(answer.bytes, interaction.body, recording.file);
    for (const [name, value] of Object.entries(interaction.headers))
      assert.equal(answer.headers[name], value);
    assert.equal(answer.isComplete, true);
  }
});

test('the official client reads the common scenarios of every provider as what they say', async () => {
  const messages = [{ role: 'user', content: 'How thick is the ice?' }] as const;
  for (const recording of own.filter(isCommonChat)) {
    const upstream = await startFakeUpstream({ recordings: [recording] });
    open.push(upstream);
    const { chat } = new OpenAI({ baseURL: upstream.url, apiKey: 'testkit', maxRetries: 0 });
    const request = { model: 'm', messages: [...messages] };
    const completion = only(recording).stream
      ? await chat.completions.stream(request).finalChatCompletion()
      : await chat.completions.create(request);
    const choice = completion.choices[0];
    const isCall = recording.scenario.includes('tool');
    const finishes = isCall
      ? ['tool_calls']
      : recording.scenario === 'length-stream'
        ? ['length']
        : ['stop', 'eos'];
    assert.ok(finishes.includes(choice?.finish_reason ?? ''), recording.file);
    const calls = recording.scenario.startsWith('parallel') ? 2 : isCall ? 1 : 0;
    assert.equal(choice?.message.tool_calls?.length ?? 0, calls, recording.file);
  }
});

test('the official client reads Responses streams whole', async () => {
  for (const scenario of ['text-stream', 'reasoning-tool-stream']) {
    const upstream = await startFakeUpstream({ recordings: [loadProjectRecording('responses', scenario)] });
    open.push(upstream);
    const { responses } = new OpenAI({ baseURL: `${upstream.url}/v1`, apiKey: 'testkit', maxRetries: 0 });
    const response = await responses.stream({ model: 'm', input: 'How thick is the ice?' }).finalResponse();
    assert.equal(response.status, 'completed');
    assert.ok(response.output.length > 0 && response.usage);
  }
});

test('a replay answers by method, stream flag and API; anything else is told as not recorded', async () => {
  const upstream = await startFakeUpstream({
    recordings: [
      loadProjectRecording('groq', 'text'),
      loadProjectRecording('groq', 'text-stream'),
      loadProjectRecording('groq', 'tool'),
    ],
  });
  open.push(upstream);
  const prefixed = `${upstream.url}/base/v1/chat/completions`;
  const text = await callHttp(prefixed, { body: { model: 'm' } });
  const tool = await callHttp(prefixed, { body: { model: 'm' } });
  const again = await callHttp(prefixed, { body: { model: 'm' } });
  assert.match(text.text, /"finish_reason":"stop"/);
  assert.match(tool.text, /"finish_reason":"tool_calls"/);
  assert.equal(again.text, tool.text);
  assert.equal((await callHttp(prefixed, { body: { stream: true } })).headers['x-groq-region'], 'dls');
  const unknown = await callHttp(`${upstream.url}/v1/embeddings`, { body: {} });
  assert.equal(unknown.status, 404);
  assert.match(unknown.text, /nothing recorded for POST \/v1\/embeddings/);
});

test('a recording that does not exist is an error', () => {
  assert.throws(() => loadProjectRecording('openai', 'no-such-scenario'), { code: 'ENOENT' });
});

if (shared.absent === undefined) {
  test('recorded provider traffic loads whole', (context) => {
    context.diagnostic(`shared recordings: ${counted(shared.recordings)}`);
    assert.ok(shared.recordings.length > 0);
    for (const { file, interactions, provider, scenario } of shared.recordings) {
      assert.ok(provider !== '' && scenario !== '' && interactions.length > 0, file);
      for (const { method, path, status, headers } of interactions) {
        assert.match(method, /^(GET|POST|DELETE)$/, file);
        assert.match(path, /^\//, file);
        assert.ok(status >= 200 && status < 600, `${file}: ${status}`);
        assert.ok(headers['content-type'] !== undefined, file);
      }
    }
  });

  test('events of recorded Chat, Responses and Messages streams have their framing', () => {
    let streams = 0;
    for (const { file, surface, interactions } of shared.recordings) {
      if (!['chat', 'responses', 'messages'].includes(surface)) continue;
      for (const one of interactions) {
        if (!isEventStream(one)) continue;
        streams += 1;
        for (const { event, data } of parseSseFrames(one.body.toString('utf8'))) {
          if (data === '' || data === '[DONE]') continue;
          const parsed: unknown = JSON.parse(data);
          assert.ok(isPlainObject(parsed), file);
          if (!one.isByteExact && surface !== 'chat') assert.equal(event, parsed['type'], file);
        }
      }
    }
    assert.ok(streams > 0);
  });

  test('AWS event streams split into frames whose lengths add up', () => {
    const streams = shared.recordings
      .flatMap((recording) => recording.interactions)
      .filter((one) => one.headers['content-type']?.includes('amazon.eventstream'));
    assert.ok(streams.length > 0);
    for (const { body } of streams)
      for (const frame of splitFrames(body, 'application/vnd.amazon.eventstream'))
        assert.equal(frame.readUInt32BE(0), frame.length);
  });

  test('the status a recorder lost is taken from the name', () => {
    const statuses = (file: string) =>
      shared.recordings
        .find((recording) => recording.file.endsWith(file))
        ?.interactions.map((interaction) => interaction.status);
    assert.deepEqual(statuses('error-429-quota.json'), [429]);
    assert.deepEqual(statuses('prompt-filtered-400.vcr.yaml'), [400, 200, 200, 200]);
    assert.deepEqual(statuses('error-midstream.vcr.yaml'), [200]);
  });
}
