import { formatFaultBody } from '@floe/contract/fault-response';
import type { Fault } from '@floe/contract/faults';
import { prepareForwardedChatResponse } from '@floe/wire/chat/forward-response';
import { ChatStreamForwarder } from '@floe/wire/chat/stream-forwarder';
import { formatSseFrame } from '@floe/wire/sse';
import type { ResponseSink } from './attempt-plan.ts';
import { recordResponseContentSize } from './charged-usage.ts';
import type { Exchange } from './exchange-record.ts';
import { applyPoliciesAndSendJson } from './policy/apply-response-policies.ts';
import { ClientStream, createBufferedResponseSink } from './response-sinks.ts';

/** The settings for forwarding a Chat response. */
export interface ForwardedChatSettings {
  readonly stripReasoning: boolean;
  readonly thinkTags: boolean;
  readonly dropUsageFrame: boolean;
}

/**
 * Forwards a stream in the client's dialect. Only complete frames are forwarded, so if an error
 * occurs, the stream ends at a frame boundary.
 */
export class ForwardedChatStreamSink implements ResponseSink {
  #x: Exchange;
  #forward: ChatStreamForwarder;
  #out: ClientStream;

  constructor(x: Exchange, settings: ForwardedChatSettings) {
    this.#x = x;
    this.#out = new ClientStream(x);
    this.#forward = new ChatStreamForwarder({
      stripReasoning: settings.stripReasoning,
      thinkTags: settings.thinkTags,
      dropUsageFrame: settings.dropUsageFrame,
      choices: x.request.prompt?.choices ?? 1,
    });
  }

  get hasContent(): boolean {
    return this.#out.isContentSent;
  }

  get isContentSent(): boolean {
    return this.#out.isContentSent;
  }

  get isComplete(): boolean {
    return this.#forward.done;
  }

  push(chunk: Buffer): boolean {
    const forward = this.#forward;
    const bytes = forward.push(chunk);
    if (!this.isContentSent && forward.hasContent) this.#out.start();
    this.#recordProgress();
    const flowing = bytes === undefined || this.#out.write(bytes);
    if (forward.fault) throw forward.fault;
    if (forward.done) this.#out.end();
    else this.#out.reserveIncompleteEvent(forward.restBytes);
    return flowing;
  }

  end(): void {
    const fault = this.#forward.end();
    this.#recordProgress();
    if (fault) throw fault;
    this.#out.end();
  }

  tryComplete(): boolean {
    if (this.#forward.end()) return false;
    this.#recordProgress();
    this.#out.end();
    return true;
  }

  abort(): void {
    // Usage was recorded with its frame.
    this.#out.abort();
  }

  formatError(fault: Fault): string {
    return (
      this.#out.formatError(fault) ?? formatSseFrame(undefined, formatFaultBody(fault, this.#x.id, 'openai'))
    );
  }

  #recordProgress(): void {
    const { usage, finish, contentBytes, contentFrameCount } = this.#forward;
    const { answer } = this.#x;
    if (usage) answer.setUsage(usage);
    if (finish) answer.setFinishReason(finish.raw);
    answer.setContent(contentBytes, contentFrameCount);
  }
}

/**
 * Creates a sink for a JSON response in the client's dialect. The sink forwards the response only
 * if it is complete and valid.
 */
export function createForwardedChatJsonSink(x: Exchange, settings: ForwardedChatSettings): ResponseSink {
  const judge = (bytes: Buffer) => {
    const { body, usage, finish, fault } = prepareForwardedChatResponse(bytes, settings);
    x.answer.setUsage(usage ?? null);
    x.answer.setFinishReason(finish?.raw ?? null);
    if (fault) throw fault;
    recordResponseContentSize(x, bytes);
    applyPoliciesAndSendJson(x, body);
  };
  return createBufferedResponseSink(x, judge);
}
