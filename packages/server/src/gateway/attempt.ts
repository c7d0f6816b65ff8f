import { Fault } from '@floe/contract/faults';
import { isEventStream } from '@floe/wire/converse/event-stream';
import type { Timer } from '../core/clock.ts';
import { Together } from '../core/together.ts';
import type { Flow, UpstreamHandler, UpstreamHeaders } from '../providers/transport.ts';
import { BinaryAnswer } from './binary-answer.ts';
import type { Target } from './catalog.ts';
import { ClientGone } from './client.ts';
import { Deadlines, type ExpiredPhase, type Patience } from './deadlines.ts';
import type { AttemptRecord, Exchange } from './exchange-record.ts';
import { setTarget } from './order-targets.ts';
import type { AnswerSink, Plan } from './plan.ts';
import { errorCodeOf, refusedAnswer, wrongTypeFault } from './refused-answer.ts';
import { scrubbed } from './scrub.ts';
import { meterFor, type SpendMeter } from './spend-meter.ts';
import { headerOf, readNetworkError } from './upstream-fault.ts';
import { setWorthAside } from './worth.ts';

/** How long the rest of an upstream's answer may take once the client has all of it: the connection is worth keeping. */
const TAIL_MS = 1000;

/** How an attempt is watched. */
export interface Watch {
  /** Monotonic milliseconds at which the exchange must be over. */
  readonly totalAt: number;
  /** Called when its first content is here, long before the end of a long answer. */
  readonly onContent: ((afterMs: number) => void) | null;
  /** Null where nobody else could answer, or the answer is no stream. */
  readonly patience: Patience | null;
}

/**
 * One call to an upstream. Resolves when the client has the whole answer; rejects with a `Fault`, an
 * `UpstreamRefusal` or `ClientGone`. Whether content had reached the client by then, `x.progress` says.
 */
export function attempt(x: Exchange, target: Target, plan: Plan, watch: Watch): Promise<void> {
  setWorthAside(x);
  setTarget(x, target);
  x.answer.setDropped(plan.dropped);
  return new Promise((resolve, reject) => {
    new Attempt(x, target, plan, { resolve, reject }).start(watch);
  });
}

function recordOf({ attempts, gateway }: Exchange, { provider, model, credential }: Target): AttemptRecord {
  return {
    n: attempts.length + 1,
    provider: provider.id,
    model,
    credential: credential.name,
    started_at: new Date(gateway.clock.now()).toISOString(),
    status: null,
    error: null,
    first_token_ms: null,
    duration_ms: null,
  };
}

interface Settled {
  readonly resolve: () => void;
  readonly reject: (reason: Error) => void;
}

class Attempt implements UpstreamHandler {
  static readonly #ended = new Together<Attempt>((attempt) => attempt.#complete());
  #x: Exchange;
  #target: Target;
  #plan: Plan;
  #record: AttemptRecord;
  #settled: Settled;
  #startedAt: number;
  #deadlines: Deadlines | null = null;
  #sink: AnswerSink | null = null;
  #flow: Flow | null = null;
  #cancel: (() => void) | null = null;
  #meter: SpendMeter | null = null;
  #holds = 0;
  #streamed = false;
  #over = false;
  #tail: Timer | null = null;
  #onContent: Watch['onContent'] = null;

  constructor(x: Exchange, target: Target, plan: Plan, settled: Settled) {
    this.#x = x;
    this.#target = target;
    this.#plan = plan;
    this.#record = recordOf(x, target);
    x.attempts.push(this.#record);
    this.#settled = settled;
    this.#startedAt = x.gateway.clock.monotonic();
  }

  start({ totalAt, onContent, patience }: Watch): void {
    const { client, gateway } = this.#x;
    this.#onContent = onContent;
    // Not assigned as a literal: V8 allocates those in old space, where each keeps its whole exchange alive
    // until the next full collection (230 against 183 µs of CPU per request, two measures together).
    const leave = () => this.#fail(client.interruption);
    client.onGone = leave;
    if (client.isInterrupted) return leave();
    const { timeouts } = this.#target;
    const expire = (phase: ExpiredPhase, ms: number) => this.#expire(phase, ms);
    const quiet = this.#x.progress.isBroken ? null : this.#x.progress.early;
    const timing = { acceptedAt: this.#x.startedAt, totalAt, quiet, patience };
    this.#deadlines = new Deadlines(gateway.clock, timeouts, timing, expire);
    const { upload } = this.#plan;
    // A long upload is no slow upstream: the wait for its answer begins with the last byte.
    if (upload) upload.watch(this);
    this.#cancel = gateway.transport.dispatch(this.#plan.request, this);
  }

  onProgress(): void {
    this.#deadlines?.enter('headers');
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
    const before = sink.heard;
    try {
      if (!sink.push(chunk)) this.#holdBack();
    } catch (error) {
      return this.#fail(error);
    }
    if (sink.heard && !before) this.#noteFirstToken();
    // An answer in one body has no first token to wait for but its first byte.
    else if (!this.#streamed) this.#deadlines?.enter('idle');
    if (sink.whole) return this.#leaveTail();
    this.#deadlines?.touch();
    if (this.#meter) this.#weigh(this.#meter);
  }

  /** A stream that costs more than a hard budget holds for it goes on with more, or not at all. */
  #weigh(meter: SpendMeter): void {
    const verdict = meter.weigh();
    if (verdict === 'go') return;
    if (verdict instanceof Fault) return this.#fail(verdict);
    this.#hold();
    verdict.then(
      (fault) => {
        this.#release();
        if (fault) this.#fail(fault);
      },
      (error: unknown) => this.#fail(error),
    );
  }

  /** Answers that end in one turn of the event loop leave together: one wake-up of the client's side, not one each. */
  onEnd(): void {
    this.#tail?.cancel();
    Attempt.#ended.add(this);
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
    this.#tail?.cancel();
    // A body that ends by itself (its client left or sent too much) and a credential nobody gave are told as they are.
    if (error instanceof Fault || error instanceof ClientGone) return this.#fail(error);
    if (this.#conclude()) return;
    this.#fail(readNetworkError(this.#target.provider.id, error, this.#record.status !== null));
  }

  #sinkFor(status: number, headers: UpstreamHeaders): AnswerSink {
    const { provider } = this.#target;
    const type = headerOf(headers, 'content-type') ?? '';
    const isBinary = isEventStream(type);
    const isStream = isBinary || /^\s*text\/event-stream\b/i.test(type);
    this.#streamed = isStream;
    if (isStream) this.#meter = meterFor(this.#x);
    if (this.#plan.raw) return this.#plan.raw({ status, headers });
    if (status < 200 || status >= 300)
      return refusedAnswer((body) => this.#plan.refusal({ status, headers, body }));
    const encoding = headerOf(headers, 'content-encoding');
    if (encoding !== undefined && encoding !== 'identity')
      throw new Fault(
        'upstream_error',
        `${provider.id} answered in ${encoding} although plain bytes were asked for.`,
      );
    const wanted = this.#x.request.ask?.stream ? 'an event stream' : 'JSON';
    if (/^\s*text\/html\b/i.test(type))
      return refusedAnswer((body) => wrongTypeFault(provider.id, wanted, { status, headers, body }));
    const sink = this.#plan.answer(isStream);
    return isBinary ? new BinaryAnswer(sink) : sink;
  }

  /** The client is slower than the upstream: stop reading until its buffer is empty again. */
  #holdBack(): void {
    this.#hold();
    this.#x.client.onDrain(() => this.#release());
  }

  /** Stops reading until each of those who wait has called `#release`. */
  #hold(): void {
    this.#holds += 1;
    this.#flow?.pause();
    this.#deadlines?.hold();
  }

  #release(): void {
    this.#holds -= 1;
    if (this.#holds > 0) return;
    this.#deadlines?.release();
    this.#flow?.resume();
  }

  /** Clients hang up at `[DONE]` (the official SDK does): from here on nothing can go wrong with this exchange. */
  #leaveTail(): void {
    this.#finish();
    this.#flow?.resume();
    this.#tail = this.#x.gateway.clock.after(TAIL_MS, () => this.#cancel?.());
    this.#settled.resolve();
  }

  #noteFirstToken(): void {
    this.#deadlines?.speak();
    this.#deadlines?.enter('idle');
    const afterMs = this.#elapsedMs();
    this.#record.first_token_ms = afterMs;
    this.#onContent?.(afterMs);
  }

  /** Whether the answer was finished although its connection was not: then nothing of it is missing. */
  #conclude(): boolean {
    if (this.#over || !this.#sink?.started) return false;
    try {
      if (!this.#sink.conclude?.()) return false;
    } catch (error) {
      this.#fail(error);
      return true;
    }
    this.#finish();
    this.#cancel?.();
    this.#settled.resolve();
    return true;
  }

  #expire(phase: ExpiredPhase, afterMs: number): void {
    if (phase === 'idle' && this.#conclude()) return;
    const { id } = this.#target.provider;
    const after = afterMs < 1000 ? `${afterMs} ms` : `${Math.round(afterMs / 1000)} s`;
    this.#fail(
      new Fault('upstream_timeout', `${id} was too slow: the ${phase} deadline passed after ${after}.`, {
        phase,
      }),
    );
  }

  #fail(reason: unknown): void {
    if (this.#over) return;
    const { provider, credential } = this.#target;
    const secrets = provider.secretsFor(credential);
    const error = scrubbed(reason instanceof Error ? reason : new Error(String(reason)), secrets);
    // One chunk may bring the first content and a fault behind it: whatever started tells the fault.
    if (this.#sink?.started) this.#x.progress.brokeOff(this.#sink);
    this.#sink?.cut();
    this.#record.error = errorCodeOf(error);
    this.#finish();
    this.#cancel?.();
    this.#settled.reject(error);
  }

  #finish(): void {
    this.#over = true;
    this.#deadlines?.stop();
    this.#x.client.onGone = null;
    const endedAt = this.#x.gateway.clock.monotonic();
    this.#x.upstream = { sentAt: this.#x.upstream?.sentAt ?? this.#startedAt, endedAt };
    this.#record.duration_ms = this.#elapsedMs();
  }

  /** Milliseconds with two decimals since this attempt began. */
  #elapsedMs(): number {
    return Math.round((this.#x.gateway.clock.monotonic() - this.#startedAt) * 100) / 100;
  }
}
