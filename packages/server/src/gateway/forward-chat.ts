import { faultBody } from '@floe/contract/fault-answer';
import type { Fault } from '@floe/contract/faults';
import { ChatStreamForward } from '@floe/wire/chat/forward';
import { forwardChatAnswer } from '@floe/wire/chat/forward-answer';
import { writeFrame } from '@floe/wire/sse';
import { ClientStream, wholeAnswer } from './answer-sinks.ts';
import { noteContent } from './booked-usage.ts';
import type { Exchange } from './exchange-record.ts';
import type { AnswerSink } from './plan.ts';
import { tellWhole } from './policy/answer-gate.ts';

export interface ForwardSettings {
  readonly stripReasoning: boolean;
  readonly thinkTags: boolean;
  readonly usageFrameIsOurs: boolean;
}

/** A stream of the client's own dialect: whole frames pass, a fault stops them at a frame's edge. */
export class ForwardedStream implements AnswerSink {
  #x: Exchange;
  #forward: ChatStreamForward;
  #out: ClientStream;

  constructor(x: Exchange, settings: ForwardSettings) {
    this.#x = x;
    this.#out = new ClientStream(x);
    this.#forward = new ChatStreamForward({
      stripReasoning: settings.stripReasoning,
      thinkTags: settings.thinkTags,
      dropUsageFrame: settings.usageFrameIsOurs,
      choices: x.request.ask?.choices ?? 1,
    });
  }

  get heard(): boolean {
    return this.#out.started;
  }

  get started(): boolean {
    return this.#out.started;
  }

  get whole(): boolean {
    return this.#forward.done;
  }

  push(chunk: Buffer): boolean {
    const forward = this.#forward;
    const bytes = forward.push(chunk);
    if (!this.started && forward.content) this.#out.start();
    this.#note();
    const flowing = bytes === undefined || this.#out.pass(bytes);
    if (forward.fault) throw forward.fault;
    if (forward.done) this.#out.end();
    return flowing;
  }

  end(): void {
    const fault = this.#forward.end();
    this.#note();
    if (fault) throw fault;
    this.#out.end();
  }

  conclude(): boolean {
    if (this.#forward.end()) return false;
    this.#note();
    this.#out.end();
    return true;
  }

  cut(): void {
    // Usage is noted with the frame that tells it.
  }

  failure(fault: Fault): string {
    return this.#out.failure(fault) ?? writeFrame(undefined, faultBody(fault, this.#x.id, 'openai'));
  }

  #note(): void {
    const { usage, finish, contentBytes, contentPieces } = this.#forward;
    const { answer } = this.#x;
    if (usage) answer.reportUsage(usage);
    if (finish) answer.setFinish(finish.raw);
    answer.setContent(contentBytes, contentPieces);
  }
}

/** A JSON answer of the client's own dialect: passed on only when it is known to be whole and an answer. */
export function forwardedAnswer(x: Exchange, settings: ForwardSettings): AnswerSink {
  const judge = (bytes: Buffer) => {
    const { body, usage, finish, fault } = forwardChatAnswer(bytes, settings);
    x.answer.reportUsage(usage ?? null);
    x.answer.setFinish(finish?.raw ?? null);
    if (fault) throw fault;
    noteContent(x, bytes);
    tellWhole(x, body);
  };
  return wholeAnswer(judge);
}
