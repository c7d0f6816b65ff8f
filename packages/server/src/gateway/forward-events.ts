import { faultBody } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import type { AnswerReader } from '@floe/wire/dialect';
import { UPSTREAM_DIALECTS } from '@floe/wire/dialects';
import type { AnswerEvent } from '@floe/wire/events';
import { parseJson } from '@floe/wire/json-read';
import { readFrame, type SseEvent, SseFramer, writeFrame } from '@floe/wire/sse';
import { answerHeaders } from './answer-headers.ts';
import { ClientStream, wholeAnswer } from './answer-sinks.ts';
import { noteContent, noteEvent } from './booked-usage.ts';
import type { Exchange } from './exchange-record.ts';
import type { AnswerSink } from './plan.ts';
import { judgedBody } from './policy/answer-gate.ts';
import { responsesFailure } from './responses-failure.ts';
import { type Ending, endingWith } from './stored/open-turn.ts';
import { namePrevious, namePreviousInEvents } from './stored/previous-response.ts';
import { ToldResponse } from './stored/told-response.ts';
import { parse } from './upstream-json.ts';

/** Anthropic, "Streaming messages": the event that ends a stream. */
const MESSAGE_STOP = writeFrame('message_stop', '{"type":"message_stop"}');

type EventDialect = 'responses' | 'messages';

/**
 * A Responses or Messages stream for a client of the same dialect: whole frames pass as they are. The
 * dialect's own reader listens, so that usage is counted and a broken answer is noticed.
 */
export class ForwardedEvents implements AnswerSink, Ending {
  #x: Exchange;
  #dialect: EventDialect;
  #framer = new SseFramer();
  #reader: AnswerReader;
  #out: ClientStream;
  #fault: Fault | null = null;
  #hasContent = false;
  #whole = false;
  /** The response object as announced, and the last frame: what an error event must continue from. */
  #response: JsonObject | null = null;
  #lastData = '';
  /** The answer as its events told it, where it is to be stored. */
  #told: ToldResponse | null;
  /** Its last event, withheld until then. */
  #last: Buffer | null = null;

  /** What the client went on from and the provider does not know. */
  readonly #previous: string | null;

  constructor(x: Exchange, dialect: EventDialect, previous: string | null) {
    this.#x = x;
    this.#previous = previous;
    this.#dialect = dialect;
    this.#out = new ClientStream(x);
    this.#told = dialect === 'responses' && x.request.turn?.keeps ? new ToldResponse() : null;
    this.#reader = UPSTREAM_DIALECTS[dialect].answerReader((event) => this.#hear(event), { id: x.id });
  }

  get heard(): boolean {
    return this.#out.started;
  }

  get started(): boolean {
    return this.#out.started;
  }

  push(chunk: Buffer): boolean {
    const frames = this.#framer.push(chunk);
    const { bytes, lead, ends } =
      this.#previous === null ? frames : namePreviousInEvents(frames, this.#previous);
    let good = lead;
    for (const end of ends) {
      this.#listen(bytes.subarray(good, end));
      if (this.#fault) break;
      if (this.#whole && this.#told) this.#last = Buffer.from(bytes.subarray(good, end));
      else good = end;
      // What follows the last event is no part of the answer, wherever the chunk happens to end.
      if (this.#whole) break;
    }
    if (this.#hasContent && !this.started) this.#out.start();
    const flowing = good === 0 || this.#out.pass(good === bytes.length ? bytes : bytes.subarray(0, good));
    if (this.#fault) throw this.#fault;
    if (this.#whole) this.#end();
    return flowing;
  }

  #end(): void {
    const response = this.#told?.response;
    if (!response) return this.tell();
    // What is denied is not stored either.
    if (this.#last) this.#last = this.#out.judgeEnd(this.#last);
    this.#x.request.turn?.end(response, true, this);
  }

  tell(): void {
    if (this.#last) this.#out.pass(this.#last);
    this.#out.end();
  }

  get whole(): boolean {
    return this.#whole;
  }

  /** Called only when the event that ends an answer never came: its client would wait for it. */
  end(): void {
    if (this.conclude()) return;
    const where = this.#framer.rest().length > 0 ? 'within an event' : 'before its last event';
    throw this.#fault ?? new Fault('upstream_stream_broken', `The provider closed the stream ${where}.`);
  }

  /** A Messages answer that has its stop reason lacks only the event that says so. */
  conclude(): boolean {
    this.#reader.end();
    if (!this.#whole || this.#fault || this.#dialect !== 'messages') return false;
    this.#out.pass(MESSAGE_STOP);
    this.#end();
    return true;
  }

  /** The reader says what it knows of usage when it is told of the end. */
  cut(): void {
    this.#reader.end();
  }

  failure(fault: Fault): string {
    const stopped = this.#out.failure(fault);
    if (stopped !== null) return stopped;
    if (this.#dialect === 'messages') return writeFrame('error', faultBody(fault, this.#x.id, 'anthropic'));
    return responsesFailure(fault, this.#response, this.#lastData, this.#x.id);
  }

  #listen(frame: Buffer): void {
    let event: SseEvent | undefined;
    try {
      event = readFrame(frame);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      this.#fault = error;
    }
    if (event === undefined) return;
    this.#reader.read(event);
    // What is not passed on is not continued from either.
    if (this.#fault) return;
    this.#lastData = event.data;
    this.#told?.hear(event.data);
    if (event.event !== 'response.created') return;
    this.#response = responseIn(event.data);
    this.#x.answer.setResponseId(idOf(this.#response));
  }

  #hear(event: AnswerEvent): void {
    noteEvent(this.#x, event);
    if (event.type === 'open') this.#hasContent = true;
    else if (event.type === 'usage') this.#x.answer.reportUsage(event.usage);
    else if (event.type === 'finish') {
      this.#x.answer.setFinish(event.raw);
      this.#hasContent = true;
      this.#whole = true;
    } else if (event.type === 'error') this.#fault = event.fault;
  }
}

/** A whole Responses or Messages answer: passed on byte for byte when it is whole and an answer. */
export function forwardedBody(x: Exchange, dialect: EventDialect, previous: string | null): AnswerSink {
  return wholeAnswer((sent) => {
    const bytes = previous === null ? sent : namePrevious(sent, previous);
    const parsed = parse(bytes);
    const answer = UPSTREAM_DIALECTS[dialect].readAnswer(parsed, { id: x.id });
    if (dialect === 'responses' && isObject(parsed)) x.answer.setResponseId(idOf(parsed));
    x.answer.reportUsage(answer.usage ?? null);
    x.answer.setFinish(answer.finish?.raw ?? null);
    if (answer.fault) throw answer.fault;
    if (!answer.finish)
      throw new Fault('upstream_error', 'The provider sent an answer that is not finished.');
    noteContent(x, bytes);
    const told = judgedBody(x, bytes);
    const headers = answerHeaders(x, 'application/json');
    const body = dialect === 'responses' && x.request.turn?.keeps ? parse(Buffer.from(told)) : null;
    if (isObject(body)) x.request.turn?.end(body, true, endingWith(x.client, headers, told));
    else x.client.answer(200, headers, told);
  });
}

function idOf(response: JsonObject | null): string | null {
  const id = response?.['id'];
  return typeof id === 'string' ? id : null;
}

function responseIn(data: string): JsonObject | null {
  const parsed = parseJson(data);
  return isObject(parsed) && isObject(parsed.response) ? parsed.response : null;
}
