import type { ErrorBodyFormat } from '@floe/contract/fault-response';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import type { ClientCall } from '../client-call.ts';
import type { OrgCatalog, ResolvedRoute, Target } from '../org-catalog.ts';
import type { GatewaySurface } from '../surface.ts';
import type { ResourceOwner } from './resource-owner-store.ts';
import type { ApiStyle, ResourceReference } from './resource-reference.ts';

/** The input for routing a request that Floe forwards without parsing. */
export interface OpaqueRouteInput {
  readonly client: ClientCall;
  readonly key: KeyRecord;
  readonly catalog: OrgCatalog;
  readonly resource: ResourceReference;
  /** The requested model; null if there is none. */
  readonly model: string | null;
  /** The owner of the resources in the request, if there are any. They exist at one provider only. */
  readonly owner: ResourceOwner | null;
}

/** An API whose requests are forwarded without parsing, and the rules that route them. */
export interface OpaqueApiRules {
  readonly style: ApiStyle;
  readonly routeMode: GatewaySurface['routeMode'];
  readonly faultShape: ErrorBodyFormat;
  /** The base path of the API on this server. */
  readonly basePath: string;
  /** The path segments before those that `parseResourcePath` reads, such as `v1`. */
  readonly pathPrefix: readonly string[];
  /** Whether a 5xx of a provider is returned unchanged if no target is left. */
  readonly forwardsServerErrors: boolean;
  /** Returns all possible targets. @throws Fault with status 403 or 404 */
  resolveRoute(input: OpaqueRouteInput): ResolvedRoute;
  /**
   * Returns whether a request with a model can be repeated on any target, because it creates nothing at a
   * provider.
   */
  isRetryable(method: string, collection: ResourceReference['collection']): boolean;
  /** Returns whether a model in a body may be used at this provider. */
  allowsModel(provider: Provider, key: KeyRecord, model: string): boolean;
  /** Returns the path of a request at a target, without query. `segments` come from `parseResourcePath`. */
  targetPath(target: Target, segments: readonly string[]): string;
}
