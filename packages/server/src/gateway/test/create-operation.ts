import { EMBEDDINGS_OPERATION } from '../embeddings.ts';
import { createGenerationOperation } from '../generation-operation.ts';
import { IDE_SURFACE } from '../ide/ide-surface.ts';
import { createOpaqueOperation } from '../opaque/opaque-operation.ts';
import { UNIFIED_OPAQUE_API } from '../opaque/unified-opaque-api.ts';
import type { GatewayOperation } from '../operation.ts';
import { PASSTHROUGH_A_API, PASSTHROUGH_B_API } from '../passthrough/passthrough-apis.ts';
import { CHAT_SURFACE, MESSAGES_SURFACE, RESPONSES_SURFACE } from '../surface.ts';

const SURFACES = {
  chat: CHAT_SURFACE,
  responses: RESPONSES_SURFACE,
  messages: MESSAGES_SURFACE,
  ide: IDE_SURFACE,
} as const;
export type OperationSurface = keyof typeof SURFACES;

/** Creates the operation of a path: `/chat`, `/v1/images/generations`, `/passthrough-a/v1/files`, … */
export function createOperation(method: string, url: string): GatewayOperation {
  const native = /^\/passthrough-([ab])(\/.*)$/.exec(url);
  if (native) {
    const api = native[1] === 'a' ? PASSTHROUGH_A_API : PASSTHROUGH_B_API;
    return createOpaqueOperation(method, api, native[2] ?? '');
  }
  const path = /^\/v1\/(.*)$/.exec(url)?.[1];
  if (path === undefined) return createGenerationOperation(SURFACES[parseSurface(url)]);
  return path === 'embeddings'
    ? EMBEDDINGS_OPERATION
    : createOpaqueOperation(method, UNIFIED_OPAQUE_API, path);
}

function parseSurface(url: string): OperationSurface {
  const names = ['responses', 'ide', 'messages'] as const;
  return names.find((name) => url.includes(name)) ?? 'chat';
}
