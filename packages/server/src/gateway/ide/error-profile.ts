import { Fault } from '@floe/contract/faults';
import type { StartedExchange } from '../exchange-record.ts';

/**
 * A provider's error with a status whose text IDEs display. It still states that the provider caused the
 * error.
 */
class IdeFault extends Fault {
  override get source(): 'upstream' {
    return 'upstream';
  }
}

/**
 * Converts a fault for an IDE. IDEs show the message of a 400, but replace the message of 429 and
 * 5xx with their own. If the error profile is enabled, a provider error becomes a 400 with the
 * original message. Gateway errors keep their status, because IDEs must wait after a 429.
 */
export function toIdeFault(x: StartedExchange, fault: Fault): Fault {
  if (!x.caller?.catalog.ide.errorProfile || !isUpstreamFault(fault)) return fault;
  const dialectCode = fault.code === 'upstream_rate_limited' ? 'rate_limit_exceeded' : 'upstream_unavailable';
  return new IdeFault('invalid_request', removeHiddenWords(fault.message), { ...fault.detail, dialectCode });
}

/** An unavailable provider has the same meaning for the user. */
function isUpstreamFault({ code }: Fault): boolean {
  return code.startsWith('upstream_') || code === 'no_healthy_target';
}

/** IDEs search for this word and then hide the text around it. */
function removeHiddenWords(message: string): string {
  return message.replace(/overloaded_error/gi, 'overloaded');
}

/** Returns response headers that contain the provider's original status. */
export function buildUpstreamStatusHeaders({ detail: { upstreamStatus } }: Fault): readonly string[] {
  return upstreamStatus === undefined ? [] : ['x-floe-upstream-status', String(upstreamStatus)];
}
