import { Fault } from '@floe/contract/faults';
import type { StartedExchange } from '../exchange-record.ts';

/** An upstream's fault under a status whose text an IDE shows; who is to blame stays said. */
class IdeFault extends Fault {
  override get source(): 'upstream' {
    return 'upstream';
  }
}

/**
 * A fault as the IDE is told it. IDEs show the text of a 400 and put sentences of their own in place of a 429
 * or a 5xx, so with the profile on an upstream's fault is a 400 with the real message. Faults of the gateway
 * keep their status: its own 429 is to be waited out.
 */
export function toIdeFault(x: StartedExchange, fault: Fault): Fault {
  if (!x.caller?.catalog.ide.errorProfile || !isUpstreamFault(fault)) return fault;
  const dialectCode = fault.code === 'upstream_rate_limited' ? 'rate_limit_exceeded' : 'upstream_unavailable';
  return new IdeFault('invalid_request', removeHiddenWords(fault.message), { ...fault.detail, dialectCode });
}

/** Nobody upstream could be asked: the same to the person in front of the IDE. */
function isUpstreamFault({ code }: Fault): boolean {
  return code.startsWith('upstream_') || code === 'no_healthy_target';
}

/** IDEs look for this word and then hide the text around it. */
function removeHiddenWords(message: string): string {
  return message.replace(/overloaded_error/gi, 'overloaded');
}

/** What the upstream itself had answered, for whoever looks at the headers. */
export function buildUpstreamStatusHeaders({ detail: { upstreamStatus } }: Fault): readonly string[] {
  return upstreamStatus === undefined ? [] : ['x-floe-upstream-status', String(upstreamStatus)];
}
