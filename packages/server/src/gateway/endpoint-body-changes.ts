import { sanitizeFieldName } from '@floe/wire/json-narrowing';
import type { EndpointRequestAdjustments } from '../providers/provider-definition.ts';

type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Members that the URL of such an endpoint contains. They are not reported as dropped. */
const IN_ADDRESS = new Set(['model', 'stream']);

/** The changes that adapt a request body to an endpoint. */
export interface EndpointBodyChanges {
  /** Members to remove (`null`) or to set (to this JSON text). */
  readonly changes: ReadonlyMap<string, string | null>;
  /** Members of the client's body that the endpoint does not support. */
  readonly dropped: readonly string[];
}

/**
 * Returns the changes that adapt a request body to an endpoint. `has(name)` returns whether the body
 * contains the top-level member `name`.
 */
export function computeEndpointBodyChanges(
  shape: EndpointRequestAdjustments,
  has: (member: string) => boolean,
  clientHeaders: ClientHeaders,
): EndpointBodyChanges {
  const changes = new Map<string, string | null>();
  const dropped: string[] = [];
  for (const name of shape.omits) {
    if (!has(name)) continue;
    changes.set(name, null);
    if (!IN_ADDRESS.has(name)) dropped.push(name);
  }
  for (const [name, json] of Object.entries(shape.sets)) changes.set(name, json);
  for (const [header, { member, accepted, renames }] of Object.entries(shape.headersInBody)) {
    const values = [clientHeaders[header] ?? []].flat().flatMap((text) => text.split(','));
    const kept = new Set<string>();
    for (const value of values.map((text) => text.trim())) {
      const name = Object.hasOwn(renames, value) ? (renames[value] ?? value) : value;
      if (accepted.includes(name)) kept.add(name);
      else if (value !== '') dropped.push(sanitizeFieldName(`${header}.${value}`));
    }
    if (kept.size > 0) changes.set(member, JSON.stringify([...kept]));
  }
  for (const [header, only] of Object.entries(shape.impliedHeaders))
    if (clientHeaders[header] !== undefined && clientHeaders[header] !== only) dropped.push(header);
  return { changes, dropped };
}
