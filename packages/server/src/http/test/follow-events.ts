import { type IncomingMessage, request } from 'node:http';
import type { TestContext } from 'node:test';
import { parseSseFrames, type SseFrame } from '@floe/testkit/http-client';

/** A stream of Server-Sent Events that a test reads as it comes. */
export interface FollowedEventStream {
  readonly answer: IncomingMessage;
  /** Resolves when the answer is over, however it ended. */
  readonly ended: Promise<void>;
  /** The first event that fits; the test's own time limit ends a wait for one that never comes. */
  until(isIt: (frame: SseFrame) => boolean): Promise<SseFrame>;
  /** The last id told. */
  position(): Promise<string>;
  disconnect(): void;
}

/** Asks for a stream on a connection of its own, which ends with the test. */
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
