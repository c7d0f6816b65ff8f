// The project's own answers of all four dialects, by scenario, as streams and as the whole answers they add up to.
import { readFileSync } from 'node:fs';
import type { JsonObject } from '@floe/contract/json';
import { convertSseToEventStream } from '@floe/testkit/amazon-event-stream';
import { parseSseFrames } from '@floe/testkit/http-client';
import type { UpstreamReply } from '@floe/testkit/upstream-reply';
import { assembleMessage, objectOrEmpty, objectsOrEmpty, type TestDialect } from './answer-content.ts';
import { assembleCohereAnswer, assembleConverseAnswer } from './cloud-answer-content.ts';

const RECORDINGS = new URL('../../wire/recordings/', import.meta.url);

/**
 * `sample('gemini', 'thinking', true)`; whole answers are made of the stream's events. `edit` changes what was
 * recorded, before it is framed.
 */
export function sampleReply(
  dialect: TestDialect,
  scenario: string,
  isStream: boolean,
  edit: (text: string) => string = (text) => text,
): UpstreamReply & { body: Buffer } {
  const recorded = readFileSync(new URL(`${dialect}-${scenario}.sse`, RECORDINGS), 'utf8');
  const body = Buffer.from(edit(recorded));
  if (isStream && dialect === 'converse')
    return toBinaryReply(convertSseToEventStream(body.toString('utf8')));
  if (isStream) return { headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body };
  const events = parseSseFrames(body.toString('utf8'))
    .filter(({ data }) => data !== '' && data !== '[DONE]')
    .map(({ data }) => objectOrEmpty(JSON.parse(data)));
  const whole = Buffer.from(JSON.stringify(WHOLE[dialect](events)));
  return { headers: { 'content-type': 'application/json' }, body: whole };
}

const WHOLE: Readonly<Record<TestDialect, (events: readonly JsonObject[]) => unknown>> = {
  chat: wholeChat,
  responses: (events) => events.at(-1)?.['response'],
  messages: assembleMessage,
  gemini: wholeGemini,
  converse: (events) => assembleConverseAnswer(events.map((data) => ({ event: '', data }))),
  cohere: assembleCohereAnswer,
};

/** A reply in binary frames. */
export function toBinaryReply(body: Buffer): UpstreamReply & { body: Buffer } {
  return { headers: { 'content-type': 'application/vnd.amazon.eventstream' }, body };
}

function wholeGemini(events: readonly JsonObject[]): unknown {
  const candidates = events.flatMap((event) => objectsOrEmpty(event['candidates']));
  const parts = candidates.flatMap(({ content }) => objectsOrEmpty(objectOrEmpty(content)['parts']));
  const candidate = { ...candidates.at(-1), content: { role: 'model', parts } };
  return { ...events.at(-1), ...(candidates.length > 0 && { candidates: [candidate] }) };
}

function wholeChat(events: readonly JsonObject[]): unknown {
  const message: Record<string, unknown> = { content: null };
  const calls: { id: unknown; type: unknown; function: { name: unknown; arguments: string } }[] = [];
  const choices = events.flatMap((event) => objectsOrEmpty(event['choices']));
  for (const delta of choices.map((choice) => objectOrEmpty(choice['delta']))) {
    for (const [name, value] of Object.entries(delta))
      if (typeof value === 'string' && value !== '') message[name] = `${message[name] ?? ''}${value}`;
    for (const { index, id, type, function: piece } of objectsOrEmpty(delta['tool_calls'])) {
      const { name, arguments: text } = objectOrEmpty(piece);
      const call = calls[Number(index)] ?? { id, type, function: { name, arguments: '' } };
      calls[Number(index)] = call;
      call.function.arguments += text ?? '';
    }
  }
  const { id, created, model } = objectOrEmpty(events[0]);
  const finish = choices.findLast(({ finish_reason }) => typeof finish_reason === 'string');
  const choice = {
    index: 0,
    message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) },
    finish_reason: finish?.['finish_reason'],
  };
  const usage = events.at(-1)?.['usage'];
  return { id, object: 'chat.completion', created, model, choices: [choice], usage };
}
