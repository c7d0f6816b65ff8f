import type { FaultShape } from '@floe/contract/fault-answer';
import type { KeyRecord } from '../../platform/keyring.ts';
import type { Provider } from '../../providers/configured.ts';
import type { Catalog, Course, Target } from '../catalog.ts';
import type { Client } from '../client.ts';
import type { Surface } from '../surface.ts';
import type { Owner } from './owners.ts';
import type { Meaning, Style } from './resource-path.ts';

/** Who asks, and for what. */
export interface Asking {
  readonly client: Client;
  readonly key: KeyRecord;
  readonly catalog: Catalog;
  readonly meaning: Meaning;
  /** The model as asked for; null where nothing names one. */
  readonly model: string | null;
  /** Who made the things the request names, when it names any: they exist at one provider only. */
  readonly owner: Owner | null;
}

/** A base address whose paths pass without being understood: how it turns requests into targets. */
export interface Base {
  readonly style: Style;
  readonly routeMode: Surface['routeMode'];
  readonly faultShape: FaultShape;
  /** Path of the base on this server. */
  readonly mount: string;
  /** Segments before those that `readMeaning` reads, as `v1`. */
  readonly lead: readonly string[];
  /** An upstream's 5xx reaches the client as it is once no target is left. */
  readonly passesFailures: boolean;
  /** Every target that may answer. Throws 403 and 404. */
  course(asking: Asking): Course;
  /** Whether a request that names a model may be sent again and elsewhere: it leaves nothing behind at a provider. */
  repeats(method: string, collection: Meaning['collection']): boolean;
  /** Whether a model that stands inside a body may be used at this provider. */
  allows(provider: Provider, key: KeyRecord, model: string): boolean;
  /** Path of a request at a target, without its query. `segments` are those `readMeaning` read. */
  pathAt(target: Target, segments: readonly string[]): string;
}
