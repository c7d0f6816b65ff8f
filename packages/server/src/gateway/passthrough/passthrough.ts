import type { ModelLists } from '../../providers/model-list.ts';
import type { Client } from '../client.ts';
import { exchange } from '../exchange.ts';
import type { Gateway } from '../gateway.ts';
import type { Base } from '../opaque/base.ts';
import { opaqueOperation } from '../opaque/opaque-operation.ts';
import { readPlace } from '../opaque/path.ts';
import type { Style } from '../opaque/resource-path.ts';
import { PASSTHROUGH_A, PASSTHROUGH_B } from './base.ts';
import { createNativeLists } from './models.ts';

/** Answers one request below a passthrough base; `rest` begins behind it and keeps its query. */
export type Passthrough = (client: Client, style: Style, rest: string) => void;

const BASES: Readonly<Record<Style, Base>> = { a: PASSTHROUGH_A, b: PASSTHROUGH_B };

/** The two passthrough surfaces. Model lists are the gateway's own to answer, everything else goes to a provider. */
export function createPassthrough(gateway: Gateway, modelLists: ModelLists): Passthrough {
  const lists = createNativeLists(gateway, modelLists);
  return (client, style, rest) => {
    const model = listedIn(client.method, rest);
    if (model === null) void exchange(client, opaqueOperation(client.method, BASES[style], rest), gateway);
    else if (model === '') void lists.models(client, style);
    else void lists.model(client, style, model);
  };
}

/** The model a request asks about, '' for the list of all, null for anything else. */
function listedIn(method: string, rest: string): string | null {
  if ((method !== 'GET' && method !== 'HEAD') || !/^\/v1\/models(?:[/?]|$)/.test(rest)) return null;
  try {
    const [, , ...id] = readPlace(rest).segments;
    return id.map(decodeURIComponent).join('/');
  } catch {
    // An odd path is refused where every other one is.
    return null;
  }
}
