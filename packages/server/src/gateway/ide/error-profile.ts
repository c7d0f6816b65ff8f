import { Fault, type FaultCode } from '@floe/contract/faults';
import type { StartedExchange } from '../exchange-record.ts';

/**
 * A provider's error with a status for which IDEs display the text. The error still states that the provider
 * caused it.
 */
class IdeFault extends Fault {
  override get source(): 'upstream' {
    return 'upstream';
  }
}

const IDE_CODES: Readonly<Partial<Record<FaultCode, string>>> = {
  upstream_rate_limited: 'rate_limit_exceeded',
  unsupported_response: 'unsupported_response',
};

/**
 * Returns the fault to send to an IDE. IDEs show the message of a 400 response, but not the message of a 429 or
 * 5xx response. If the error profile is enabled, a provider error therefore becomes a 400 with the same message.
 * Errors of Floe itself are unchanged, because an IDE must wait after Floe's 429.
 */
export function toIdeFault(x: StartedExchange, fault: Fault): Fault {
  if (!x.caller?.catalog.ide.errorProfile) return fault;
  const { dialectStatus, ...detail } = fault.detail;
  if (dialectStatus !== undefined) return new Fault(fault.code, fault.message, detail);
  if (!isUpstreamFault(fault)) return fault;
  const dialectCode = IDE_CODES[fault.code] ?? 'upstream_unavailable';
  return new IdeFault('invalid_request', removeHiddenWords(fault.message), { ...detail, dialectCode });
}

/**
 * Returns whether a provider caused the fault. This includes an unavailable provider, because users do not
 * need to distinguish the two.
 */
function isUpstreamFault({ code }: Fault): boolean {
  return code.startsWith('upstream_') || code === 'no_healthy_target' || code === 'unsupported_response';
}

/** Replaces a word that IDEs search for in order to hide the text around it. */
function removeHiddenWords(message: string): string {
  return message.replace(/overloaded_error/gi, 'overloaded');
}

/**
 * Returns a response header with the provider's original status, as a flat list. The list is empty if the
 * fault has no such status.
 */
export function buildUpstreamStatusHeaders({ detail: { upstreamStatus } }: Fault): readonly string[] {
  return upstreamStatus === undefined ? [] : ['x-floe-upstream-status', String(upstreamStatus)];
}
