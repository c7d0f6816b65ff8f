import { Fault } from '@floe/contract/faults';
import type { Flow, UpstreamHandler, UpstreamHeaders } from '../providers/transport.ts';
import {
  type AnswerSink,
  type ForwardSettings,
  RefusedAnswer,
  StreamAnswer,
  WholeAnswer,
} from './answers.ts';
import type { Target } from './catalog.ts';
import { ClientGone } from './client.ts';
import { Deadlines, type ExpiredPhase } from './deadlines.ts';
import type { AttemptRecord, Exchange } from './exchange-record.ts';
import { headerOf, readNetworkError, readRefusal } from './upstream-fault.ts';
import { type Forwarded, forwardRequest } from './upstream-request.ts';

/**
 * One call to an upstream. Resolves when the client has the whole answer; rejects with a `Fault`, an
 * `UpstreamRefusal` or `ClientGone`. Whether content had reached the client by then, `client.answering` says.
 */
export function attempt(x: Exchange, target: Target, totalAt: number): Promise<void> {
  const { gateway, ask, surface } = x;
  const path = target.provider.pathOf(surface.dialect);
  if (!ask || path === undefined) throw new Error(`${target.provider.id} does not speak ${surface.dialect}`);
  const forwarded = forwardRequest(ask, target, path, x.client.headers);
  const record: AttemptRecord = {
    n: x.attempts.length + 1,
    provider: target.provider.id,
    model: target.model,
    credential: target.credential.name,
    started_at: new Date(gateway.clock.now()).toISOString(),
    status: null,
    error: null,
    first_token_ms: null,
    duration_ms: null,
  };
  x.attempts.push(record);
  x.target = target;
  return new Promise((resolve, reject) => {
    new Attempt(x, target, record, forwarded, { resolve, reject }).start(totalAt);
  });
}

interface Settled {
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

class Attempt implements UpstreamHandler {
  #x: Exchange;
  #target: Target;
  #record: AttemptRecord;
  #forwarded: Forwarded;
  #settled: Settled;
  #startedAt: number;
  #deadlines: Deadlines | null = null;
  #sink: AnswerSink | null = null;
  #flow: Flow | null = null;
  #cancel: (() => void) | null = null;
  #over = false;

  constructor(x: Exchange, target: Target, record: AttemptRecord, forwarded: Forwarded, settled: Settled) {
    this.#x = x;
    this.#target = target;
    this.#record = record;
    this.#forwarded = forwarded;
    this.#settled = settled;
    this.#startedAt = x.gateway.clock.monotonic();
  }

  start(totalAt: number): void {
    const { client, gateway } = this.#x;
    this.#x.sentAt ??= this.#startedAt;
    // Not assigned as a literal: V8 allocates those in old space, where each keeps its whole exchange alive
    // until the next full collection (a third of all allocations, 80 µs of GC per request).
    const leave = () => this.#fail(new ClientGone('the client left'));
    client.onGone = leave;
    const { timeouts } = this.#target.provider;
    this.#deadlines = new Deadlines(gateway.clock, timeouts, totalAt, (phase, ms) => this.#expire(phase, ms));
    this.#cancel = gateway.transport.dispatch(this.#forwarded.request, this);
  }

  onConnected(): void {
    this.#deadlines?.enter('headers');
  }

  onHead(status: number, headers: UpstreamHeaders, flow: Flow): void {
    this.#record.status = status;
    this.#flow = flow;
    this.#deadlines?.enter('first_token');
    try {
      this.#sink = this.#sinkFor(status, headers);
    } catch (error) {
      this.#fail(error);
    }
  }

  onData(chunk: Buffer): void {
    const sink = this.#sink;
    if (this.#over || !sink) return;
    const before = sink.started;
    try {
      if (!sink.push(chunk)) this.#holdBack();
    } catch (error) {
      return this.#fail(error);
    }
    if (sink.started && !before) this.#noteFirstToken();
    this.#deadlines?.touch();
  }

  /** Answers that end in one turn of the event loop leave together: one wake-up of the client's side, not one each. */
  onEnd(): void {
    setImmediate(() => this.#complete());
  }

  #complete(): void {
    if (this.#over) return;
    try {
      this.#sink?.end();
    } catch (error) {
      return this.#fail(error);
    }
    this.#finish();
    this.#settled.resolve();
  }

  onError(error: Error): void {
    this.#fail(readNetworkError(this.#target.provider.id, error, this.#record.status !== null));
  }

  #sinkFor(status: number, headers: UpstreamHeaders): AnswerSink {
    const { provider } = this.#target;
    if (status < 200 || status >= 300)
      return new RefusedAnswer((body) => readRefusal(provider.id, provider.sheet, status, headers, body));
    const encoding = headerOf(headers, 'content-encoding');
    if (encoding !== undefined && encoding !== 'identity')
      throw new Fault(
        'upstream_error',
        `${provider.id} answered in ${encoding} although plain bytes were asked for.`,
      );
    const type = headerOf(headers, 'content-type') ?? '';
    const isStream = /^\s*text\/event-stream\b/i.test(type);
    const asked = this.#x.ask?.stream === true;
    if (asked !== isStream && (isStream || asked))
      // A JSON body in place of a stream is an error more often than an answer; it is read for its message.
      return new RefusedAnswer((body) => this.#wrongType(type, body));
    return asked ? new StreamAnswer(this.#x, this.#settings()) : new WholeAnswer(this.#x, this.#settings());
  }

  #wrongType(type: string, body: Buffer): Fault {
    const { provider } = this.#target;
    const wanted = this.#x.ask?.stream ? 'an event stream' : 'JSON';
    return new Fault(
      'upstream_error',
      `${provider.id} answered 200 with "${type || 'no content type'}" instead of ${wanted}.`,
      {
        upstreamStatus: 200,
        upstreamBody: body.toString('utf8').slice(0, 2000),
      },
    );
  }

  #settings(): ForwardSettings {
    const { provider, model } = this.#target;
    return {
      stripReasoning: this.#x.catalog?.chatReasoning !== 'forward',
      thinkTags: provider.hasThinkTags(model),
      usageFrameIsOurs: this.#forwarded.usageFrameIsOurs,
    };
  }

  /** The client is slower than the upstream: stop reading until its buffer is empty again. */
  #holdBack(): void {
    this.#flow?.pause();
    this.#deadlines?.hold();
    this.#x.client.onDrain(() => {
      this.#deadlines?.release();
      this.#flow?.resume();
    });
  }

  #noteFirstToken(): void {
    this.#deadlines?.enter('idle');
    this.#record.first_token_ms = this.#elapsedMs();
  }

  #expire(phase: ExpiredPhase, afterMs: number): void {
    const { id } = this.#target.provider;
    const seconds = Math.round(afterMs / 1000);
    this.#fail(
      new Fault('upstream_timeout', `${id} was too slow: the ${phase} deadline passed after ${seconds} s.`, {
        phase,
      }),
    );
  }

  #fail(reason: unknown): void {
    if (this.#over) return;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    this.#record.error = error instanceof Fault ? error.code : error.name;
    this.#finish();
    this.#cancel?.();
    this.#settled.reject(error);
  }

  #finish(): void {
    this.#over = true;
    this.#deadlines?.stop();
    this.#x.client.onGone = null;
    this.#x.upstreamEndedAt = this.#x.gateway.clock.monotonic();
    this.#record.duration_ms = this.#elapsedMs();
  }

  /** Milliseconds with two decimals since this attempt began. */
  #elapsedMs(): number {
    return Math.round((this.#x.gateway.clock.monotonic() - this.#startedAt) * 100) / 100;
  }
}
