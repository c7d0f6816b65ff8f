import type { ModelListCache } from '../../providers/model-list.ts';
import type { ClientCall } from '../client-call.ts';
import { handleExchange } from '../handle-exchange.ts';
import type { OpaqueApiRules } from '../opaque/opaque-api-rules.ts';
import { createOpaqueOperation } from '../opaque/opaque-operation.ts';
import { parseRequestPath } from '../opaque/request-path.ts';
import type { ApiStyle } from '../opaque/resource-reference.ts';
import type { SharedGatewayDependencies } from '../shared-gateway-dependencies.ts';
import { createNativeModelEndpoints } from './native-model-endpoints.ts';
import { PASSTHROUGH_A_API, PASSTHROUGH_B_API } from './passthrough-apis.ts';

/**
 * Handles a request below a passthrough base path. `rest` is the path after the base, including its
 * query.
 */
export type PassthroughHandler = (client: ClientCall, style: ApiStyle, rest: string) => void;

const BASES: Readonly<Record<ApiStyle, OpaqueApiRules>> = { a: PASSTHROUGH_A_API, b: PASSTHROUGH_B_API };

/**
 * Creates the handler for the two passthrough surfaces. Floe itself responds to requests for model
 * lists. All other requests are forwarded to a provider.
 */
export function createPassthroughHandler(
  gateway: SharedGatewayDependencies,
  modelLists: ModelListCache,
): PassthroughHandler {
  const lists = createNativeModelEndpoints(gateway, modelLists);
  return (client, style, rest) => {
    const model = parseModelListPath(client.method, rest);
    if (model === null)
      void handleExchange(client, createOpaqueOperation(client.method, BASES[style], rest), gateway);
    else if (model === '') void lists.models(client, style);
    else void lists.model(client, style, model);
  };
}

/** Returns the model of a request for a model list, '' for the whole list, or null for any other request. */
function parseModelListPath(method: string, rest: string): string | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  try {
    const [version, collection = '', ...id] = parseRequestPath(rest).segments;
    if (version !== 'v1' || collection.toLowerCase() !== 'models') return null;
    return id.map(decodeURIComponent).join('/');
  } catch {
    // An invalid path is rejected in the same place as others.
    return null;
  }
}
