import { Fault } from '@floe/contract/faults';
import { createBlockSequencer } from './block-sequencer.ts';
import { type CanonicalResponse, ResponseAccumulator, toResponseEvents } from './canonical-response.ts';
import type { ResponseWriteContext } from './dialect.ts';
import { isGenerationInProgress } from './finish-reason.ts';
import { isJsonObject, tryParseJson } from './json-narrowing.ts';
import type { CanonicalRequest } from './request.ts';
import type { BlockOpenEvent, DialectName, EmitResponseEvent, Seal } from './response-events.ts';
import { packSeal } from './seal.ts';
import { indexToolsByProviderToolName } from './tool-identifiers.ts';

/**
 * Returns a function that adapts the events of a response reader and passes them to `next`, the writer for the
 * client. The writer receives one block at a time. Tool calls get the names and the form in which the client
 * declared its tools.
 */
export function createEventAdapter(request: CanonicalRequest, next: EmitResponseEvent): EmitResponseEvent {
  return restoreDeclaredTools(request, createBlockSequencer(next));
}

/**
 * Adapts a complete response for a client writer, as `createEventAdapter` does.
 * @throws the fault of the response, if it has one; a Fault if its finish is missing or means that the response
 * is incomplete
 */
export function adaptResponseForClient(
  answer: CanonicalResponse,
  request: CanonicalRequest,
): CanonicalResponse {
  if (answer.fault) throw answer.fault;
  if (!answer.finish || isGenerationInProgress(answer.finish))
    throw new Fault(
      'upstream_stream_broken',
      'The provider ended the response before it was complete. Send the request again.',
    );
  const fold = new ResponseAccumulator();
  const stage = createEventAdapter(request, (event) => fold.add(event));
  for (const event of toResponseEvents(answer)) stage(event);
  return fold.answer;
}

function restoreDeclaredTools(request: CanonicalRequest, next: EmitResponseEvent): EmitResponseEvent {
  if (request.tools.length === 0) return next;
  const tools = indexToolsByProviderToolName(request.tools);
  const held = new Map<number, { readonly open: BlockOpenEvent; text: string }>();
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
      const { input, isExact } = unwrapFreeformInput(call.text);
      next({ ...call.open, freeform: true });
      next({ type: 'delta', block, text: input });
      next({ type: 'close', block });
      if (!isExact) next({ type: 'dropped', field: 'tool_calls.arguments' });
    }
  };
}

/**
 * Returns the raw text of a freeform call that was sent as `{"input": text}`, and whether the call had no other
 * members. Any other string is returned unchanged.
 */
function unwrapFreeformInput(text: string): { readonly input: string; readonly isExact: boolean } {
  const parsed = tryParseJson(text);
  if (!isJsonObject(parsed) || typeof parsed['input'] !== 'string') return { input: text, isExact: true };
  return { input: parsed['input'], isExact: Object.keys(parsed).length === 1 };
}

/**
 * Returns the opaque value for a seal in the client's dialect: the value itself if it has the same dialect,
 * otherwise a packed seal. If the origin of the seal is not known, reports the seal as dropped and returns undefined.
 */
export function encodeSealForClient(
  seal: Seal | undefined,
  dialect: DialectName,
  context: ResponseWriteContext,
  dropped: Set<string>,
): string | undefined {
  if (seal === undefined) return undefined;
  if (seal.dialect === dialect) return seal.value;
  if (context.sealOrigin !== undefined) return packSeal(seal, context.sealOrigin);
  dropped.add('reasoning.seal');
  return undefined;
}
