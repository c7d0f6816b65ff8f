import { type FaultShape, faultBody, faultHeaders } from '@floe/contract/fault-answer';
import { Fault } from '@floe/contract/faults';
import type { Log } from '../core/log.ts';
import { answerHeaders } from './answer-headers.ts';
import { type Client, ClientGone } from './client.ts';
import type { Outcome, StartedExchange } from './exchange-record.ts';
import { shownToIde, upstreamStatusHeader } from './ide/error-profile.ts';
import { UpstreamRefusal } from './upstream-fault.ts';

/** Tells the client how its exchange failed, in its own dialect, as far as it has not left. */
export function sendError(x: StartedExchange, error: unknown): Outcome {
  const { client, surface } = x;
  const { stage } = x.progress;
  if (error instanceof ClientGone || client.gone) return { state: 'aborted', status: 499, fault: null };
  if (error instanceof UpstreamRefusal && stage.name === 'nothing') {
    client.answer(
      error.status,
      [...answerHeaders(x, error.contentType), ...error.headers, 'x-floe-error-source', 'upstream'],
      error.body,
    );
    const fault = new Fault('upstream_error', error.message, { upstreamStatus: error.status });
    return { state: 'failed', status: error.status, fault };
  }
  const fault = faultOf(x, error);
  const shown = surface.ide ? shownToIde(x, fault) : fault;
  if (stage.name === 'nothing') {
    const headers = answerHeaders(x, 'application/json');
    if (shown !== fault) headers.push(...upstreamStatusHeader(fault));
    answerFault(client, shown, surface.faultShape, headers);
  } else endStream(client, stage.name === 'content' ? null : stage.teller.failure(shown));
  if (stage.name === 'content' || stage.name === 'broken') return { state: 'partial', status: 200, fault };
  // An answer that was begun early and had no content ended with this error all the same.
  return { state: fault.isBlock ? 'blocked' : 'failed', status: shown.status, fault };
}

function faultOf({ id, gateway }: StartedExchange, error: unknown): Fault {
  if (error instanceof Fault) return error;
  // Its own words can no longer be passed on as they are: the stream was answered early.
  if (error instanceof UpstreamRefusal) return error.asFault();
  return internalFault(gateway.log, id, error);
}

function endStream(client: Client, text: string | null): void {
  if (text === null) client.breakOff();
  else client.endWith(text);
}

/** A bug: logged whole, told without detail. */
export function internalFault(log: Log, id: string, error: unknown): Fault {
  log.error({ err: error, request_id: id }, 'a request failed on a bug');
  return new Fault('internal_error', `Something went wrong inside Floe. The log has it under ${id}.`);
}

/** An error answer before anything else was sent. */
export function answerFault(
  client: Client,
  fault: Fault,
  shape: FaultShape,
  headers: readonly string[],
): void {
  client.answer(fault.status, [...headers, ...faultHeaders(fault)], faultBody(fault, client.id, shape));
}
