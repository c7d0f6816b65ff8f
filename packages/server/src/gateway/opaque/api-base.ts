import type { ErrorBodyFormat } from '@floe/contract/fault-response';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Provider } from '../../providers/configured-provider.ts';
import type { Catalog, ResolvedRoute, Target } from '../catalog.ts';
import type { ClientConnection } from '../client.ts';
import type { GatewaySurface } from '../surface.ts';
import type { ResourceOwner } from './owners.ts';
import type { ApiStyle, ResourceReference } from './resource-reference.ts';

/** Who asks, and for what. */
export interface OpaqueRouteInput {
  readonly client: ClientConnection;
  readonly key: KeyRecord;
  readonly catalog: Catalog;
  readonly resource: ResourceReference;
  /** The model as asked for; null where nothing names one. */
  readonly model: string | null;
  /** Who made the things the request names, when it names any: they exist at one provider only. */
  readonly owner: ResourceOwner | null;
}

/** A base address whose paths pass without being understood: how it turns requests into targets. */
export interface ApiBase {
  readonly style: ApiStyle;
  readonly routeMode: GatewaySurface['routeMode'];
  readonly faultShape: ErrorBodyFormat;
  /** Path of the base on this server. */
  readonly basePath: string;
  /** Segments before those that `parseResourcePath` reads, as `v1`. */
  readonly pathPrefix: readonly string[];
  /** An upstream's 5xx reaches the client as it is once no target is left. */
  readonly forwardsServerErrors: boolean;
  /** Every target that may answer. Throws 403 and 404. */
  resolveRoute(input: OpaqueRouteInput): ResolvedRoute;
  /** Whether a request that names a model may be sent again and elsewhere: it leaves nothing behind at a provider. */
  isRetryable(method: string, collection: ResourceReference['collection']): boolean;
  /** Whether a model that stands inside a body may be used at this provider. */
  allowsModel(provider: Provider, key: KeyRecord, model: string): boolean;
  /** Path of a request at a target, without its query. `segments` are those `parseResourcePath` read. */
  targetPath(target: Target, segments: readonly string[]): string;
}
