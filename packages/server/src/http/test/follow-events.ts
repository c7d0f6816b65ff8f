import { type IncomingMessage, request } from 'node:http';
import type { TestContext } from 'node:test';
import { parseSseFrames, type SseFrame } from '@floe/testkit/http-client';

/** An open stream of Server-Sent Events. */
export interface FollowedEventStream {
  readonly answer: IncomingMessage;
  /** Resolves when the response has ended or was aborted. */
  readonly ended: Promise<void>;
  /** The first matching event. The time limit of the test ends the wait. */
  until(isIt: (frame: SseFrame) => boolean): Promise<SseFrame>;
  /** The id of the last event. */
  position(): Promise<string>;
  disconnect(): void;
}

/** Opens an event stream on a new connection that is closed when the test ends. */
export async function followEvents(
  t: TestContext,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<FollowedEventStream> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const outgoing = request(url, { agent: false, headers });
  outgoing.on('response', resolve).on('error', reject).end();
  t.after(() => outgoing.destroy());
  const answer = await promise;
  const ended = Promise.withResolvers<void>();
  let text = '';
  let heard = Promise.withResolvers<void>();
  answer.on('data', (piece) => {
    text += piece;
    heard.resolve();
    heard = Promise.withResolvers();
  });
  answer.on('close', () => ended.resolve()).on('error', () => ended.resolve());
  const found = async <Value>(look: () => Value | undefined): Promise<Value> => {
    for (;;) {
      const more = heard.promise;
      const value = look();
      if (value !== undefined) return value;
      await more;
    }
  };
  return {
    answer,
    ended: ended.promise,
    until: (isIt) => found(() => parseSseFrames(text).find(isIt)),
    position: () => found(() => [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1]),
    disconnect: () => outgoing.destroy(),
  };
}
