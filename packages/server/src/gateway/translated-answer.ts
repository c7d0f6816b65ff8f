import { Fault } from '@floe/contract/faults';
import { isObject, type JsonObject } from '@floe/contract/json';
import { type Answer, AnswerFold, eventsOf } from '@floe/wire/answer';
import type {
  AnswerContext,
  AnswerReader,
  AnswerWriter,
  ClientDialect,
  ReaderOptions,
  UpstreamDialect,
} from '@floe/wire/dialect';
import type { AnswerEvent } from '@floe/wire/events';
import { readFrame, SseFramer } from '@floe/wire/sse';
import { answerHeaders } from './answer-headers.ts';
import { ClientStream, wholeAnswer } from './answer-sinks.ts';
import { noteEvent } from './booked-usage.ts';
import type { ClientOut } from './client-out.ts';
import type { Exchange } from './exchange-record.ts';
import type { AnswerSink } from './plan.ts';
import { judgedBody } from './policy/answer-gate.ts';
import { Replay } from './replay.ts';
import { type Ending, endingWith } from './stored/open-turn.ts';
import { parse } from './upstream-json.ts';

export interface Translation {
  readonly client: ClientDialect;
  readonly upstream: UpstreamDialect;
  readonly context: AnswerContext;
  readonly readerOptions: ReaderOptions;
  readonly leavesStreamed: boolean;
  /** A stream that may be continued by a later attempt. */
  readonly replayable: boolean;
}

/** An answer of another dialect, read into events and written as the client's stream or as its fold. */
export class TranslatedAnswer implements AnswerSink, Ending {
  #x: Exchange;
  #way: Translation;
  #arrivesStreamed: boolean;
  #arrival: AnswerSink;
  #out: ClientOut;
  #writer: AnswerWriter;
  #fold = new AnswerFold();
  #fault: Fault | null = null;
  #text = '';
  /** The chunk an answer begins with, before it is known whether content follows. */
  #lead = '';
  #hasContent = false;
  #finished = false;
  #ended = false;
  /** What the finish is told with, withheld until the turn is stored. */
  #last: Buffer | string = '';

  constructor(x: Exchange, way: Translation, arrivesStreamed: boolean) {
    this.#x = x;
    this.#way = way;
    this.#arrivesStreamed = arrivesStreamed;
    const replay = way.replayable ? replayOf(x, way) : null;
    this.#out = replay?.out ?? new ClientStream(x);
    this.#writer = replay?.writer ?? way.client.answerWriter(way.context);
    const write = (event: AnswerEvent) => this.#write(event);
    replay?.begin(way.context.sealOrigin ?? '', write);
    const take = (event: AnswerEvent) => this.#take(event, replay);
    this.#arrival = arrivesStreamed
      ? new ArrivingStream(way.upstream.answerReader(take, way.readerOptions))
      : wholeAnswer((bytes) => {
          for (const event of eventsOf(way.upstream.readAnswer(parse(bytes), way.readerOptions))) take(event);
        });
  }

  get heard(): boolean {
    return this.#hasContent && this.#out.started;
  }

  get started(): boolean {
    return this.#out.started;
  }

  cut(): void {
    this.#arrival.cut();
  }

  get whole(): boolean {
    return this.#ended;
  }

  push(chunk: Buffer): boolean {
    try {
      this.#arrival.push(chunk);
    } catch (error) {
      // What came before it in the same chunk is told first.
      if (!(error instanceof Fault)) throw error;
      this.#fault ??= error;
    }
    const flowing = this.#flush();
    if (this.#finished) this.#endFinished();
    return flowing;
  }

  /** An upstream may leave its connection open behind the last event, whatever the client asked for. */
  #endFinished(): void {
    if (this.#way.leavesStreamed) this.#endStream();
    else if (this.#arrivesStreamed && !this.#ended) {
      this.#ended = true;
      this.#answerWhole(this.#fold.answer);
    }
  }

  conclude(): boolean {
    if (!this.#arrivesStreamed || this.#fault) return false;
    this.#arrival.end();
    if (!this.#finished || this.#fault) return false;
    this.#flush();
    this.#endFinished();
    return true;
  }

  end(): void {
    this.#arrival.end();
    this.#flush();
    if (this.#way.leavesStreamed) this.#endStream();
    else if (!this.#ended) this.#answerWhole(this.#fold.answer);
  }

  /** Clients hang up at the last event: the stream ends with it, whatever the upstream still has to say. */
  #endStream(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#noteDropped(this.#writer.dropped);
    const { response } = this.#writer;
    if (!this.#x.request.turn?.keeps || !response) return this.tell();
    // What is denied is not stored either.
    this.#last = this.#out.judgeEnd(this.#last);
    this.#x.request.turn.end(response, false, this);
  }

  tell(): void {
    if (this.#last.length > 0) this.#out.pass(this.#last);
    this.#out.end();
  }

  failure(fault: Fault): string {
    this.#noteDropped(this.#writer.dropped);
    return this.#out.failure(fault) ?? this.#writer.write({ type: 'error', fault });
  }

  #take(event: AnswerEvent, replay: Replay | null): void {
    if (event.type === 'error') {
      this.#fault = event.fault;
      return;
    }
    noteEvent(this.#x, event);
    if (event.type === 'usage') this.#x.answer.reportUsage(event.usage);
    if (event.type === 'finish') {
      this.#x.answer.setFinish(event.raw);
      this.#finished = true;
    }
    if (event.type === 'open' || event.type === 'finish') this.#hasContent = true;
    if (replay) replay.take(event);
    else this.#write(event);
  }

  #write(event: AnswerEvent): void {
    if (!this.#way.leavesStreamed) this.#fold.add(event);
    else if (event.type === 'start') this.#lead = this.#writer.write(event);
    else if (event.type === 'finish' && this.#x.request.turn?.keeps) this.#last = this.#writer.write(event);
    else this.#text += this.#writer.write(event);
  }

  /**
   * One write for all the events of one chunk. Content with a fault behind it in the same chunk is told as if
   * they had come apart: what a client sees does not depend on how its bytes were cut.
   */
  #flush(): boolean {
    const { leavesStreamed } = this.#way;
    const tellable = this.#hasContent && (this.#arrivesStreamed || !this.#fault);
    if (this.#lead !== '') this.#passLead(tellable);
    if (tellable && leavesStreamed && !this.started) this.#out.start();
    const flowing = this.#text === '' || this.#out.pass(this.#text);
    this.#text = '';
    if (this.#fault) throw this.#fault;
    return flowing;
  }

  /** An IDE gets the first chunk ahead of the content, unless content or a fault is here already. */
  #passLead(tellable: boolean): void {
    const { early, hasHead } = this.#x.progress;
    const lead = this.#lead;
    this.#lead = '';
    const goesAhead = early !== null && (hasHead || !(tellable || this.#fault));
    if (!goesAhead || !early.lead(lead)) this.#text = lead + this.#text;
  }

  #answerWhole(answer: Answer): void {
    const { body, dropped } = this.#way.client.writeAnswer(answer, this.#way.context);
    this.#noteDropped(dropped);
    const {
      client,
      request: { turn },
    } = this.#x;
    const text = judgedBody(this.#x, JSON.stringify(body));
    const headers = answerHeaders(this.#x, 'application/json');
    if (turn?.keeps) turn.end(this.#kept(body, text), false, endingWith(client, headers, text));
    else client.answer(200, headers, text);
  }

  /** The body as it is told: a policy may have taken something out. */
  #kept(body: JsonObject, told: Buffer | string): JsonObject {
    if (this.#x.judged.rewrittenBy === null) return body;
    const parsed = parse(Buffer.from(told));
    return isObject(parsed) ? parsed : body;
  }

  #noteDropped(dropped: ReadonlySet<string>): void {
    const { answer } = this.#x;
    if (dropped.size > 0) answer.setDropped([...new Set([...answer.dropped, ...dropped])]);
  }
}

/** The stream under way when an earlier attempt has delivered a part of it, else a new one. */
function replayOf(x: Exchange, { client, context }: Translation): Replay {
  const { replay: underWay } = x.progress;
  if (underWay?.out.started) return underWay;
  const showsReasoning = client.name !== 'chat' || context.chatReasoning === 'forward';
  const replay = new Replay(client.answerWriter(context), new ClientStream(x), showsReasoning);
  x.progress.mayReplay(replay);
  return replay;
}

/** Frames of a stream, handed to the dialect's reader. */
class ArrivingStream implements AnswerSink {
  readonly heard = false;
  readonly started = false;
  readonly whole = false;
  #framer = new SseFramer();
  #reader: AnswerReader;

  constructor(reader: AnswerReader) {
    this.#reader = reader;
  }

  push(chunk: Buffer): boolean {
    const { bytes, lead, ends } = this.#framer.push(chunk);
    let from = lead;
    for (const end of ends) {
      const event = readFrame(bytes.subarray(from, end));
      if (event) this.#reader.read(event);
      from = end;
    }
    return true;
  }

  end(): void {
    this.#reader.end();
  }

  cut(): void {
    this.#reader.end();
  }

  failure(fault: Fault): string {
    throw new Error(`the arriving side tells nothing, not even ${fault.code}`);
  }
}
