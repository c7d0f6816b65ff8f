import { Fault } from '@floe/contract/faults';
import { type Answer, AnswerFold, eventsOf } from './answer.ts';
import type { AnswerContext } from './dialect.ts';
import type { DialectName, Emit, OpenEvent, Seal } from './events.ts';
import { isObject, parseJson } from './json-read.ts';
import type { Ask } from './request.ts';
import { packSeal } from './seal.ts';
import { oneBlockAtATime } from './serial.ts';
import { toolsByWireName } from './tool-names.ts';

/**
 * What stands between any reader and any client writer: blocks one at a time, calls under the names and
 * in the form the client declared its tools in.
 */
export function forClient(ask: Ask, next: Emit): Emit {
  return asDeclared(ask, oneBlockAtATime(next));
}

/** The whole answer after the same treatment. @throws the answer's fault; a missing finish is one too. */
export function answerForClient(answer: Answer, ask: Ask): Answer {
  if (answer.fault) throw answer.fault;
  if (!answer.finish)
    throw new Fault(
      'upstream_stream_broken',
      'The provider closed the stream before the answer was complete.',
    );
  const fold = new AnswerFold();
  const stage = forClient(ask, (event) => fold.add(event));
  for (const event of eventsOf(answer)) stage(event);
  return fold.answer;
}

function asDeclared(ask: Ask, next: Emit): Emit {
  if (ask.tools.length === 0) return next;
  const tools = toolsByWireName(ask.tools);
  const held = new Map<number, { readonly open: OpenEvent; text: string }>();
  return (event) => {
    if (event.type === 'open' && event.kind === 'tool') {
      const tool = tools.get(event.name ?? '');
      const open = tool === undefined || tool.name === event.name ? event : { ...event, name: tool.name };
      if (tool?.kind === 'freeform' && !event.freeform) held.set(event.block, { open, text: '' });
      else next(open);
      return;
    }
    const call = event.type === 'delta' || event.type === 'close' ? held.get(event.block) : undefined;
    if (call === undefined) next(event);
    else if (event.type === 'delta') call.text += event.text;
    else {
      const { block } = call.open;
      next({ ...call.open, freeform: true });
      next({ type: 'delta', block, text: unwrapped(call.text) });
      next({ type: 'close', block });
    }
  };
}

/** The raw text of a freeform call that travelled as `{"input": text}`; anything else is taken as raw. */
function unwrapped(text: string): string {
  const parsed = parseJson(text);
  return isObject(parsed) && typeof parsed['input'] === 'string' ? parsed['input'] : text;
}

/** What may stand in the client's opaque slot for this seal: its own as it is, a foreign one packed. */
export function sealSlot(
  seal: Seal | undefined,
  dialect: DialectName,
  context: AnswerContext,
  dropped: Set<string>,
): string | undefined {
  if (seal === undefined) return undefined;
  if (seal.dialect === dialect) return seal.value;
  if (context.sealOrigin !== undefined) return packSeal(seal, context.sealOrigin);
  dropped.add('reasoning.seal');
  return undefined;
}
