import type { BodyShape } from '../providers/provider-sheet.ts';

type ClientHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Named in the address of such an endpoint, so nothing is lost with them. */
const IN_ADDRESS = new Set(['model', 'stream']);

export interface ShapedBody {
  /** Members to take out (`null`) or to set, as JSON text. */
  readonly changes: ReadonlyMap<string, string | null>;
  /** What the client said that this endpoint has no place for. */
  readonly dropped: readonly string[];
}

/** How a dialect's body is changed for an endpoint that wants it in its own shape; `has` tells what stands in it. */
export function shapeBody(
  shape: BodyShape,
  has: (member: string) => boolean,
  clientHeaders: ClientHeaders,
): ShapedBody {
  const changes = new Map<string, string | null>();
  const dropped: string[] = [];
  for (const name of shape.omits) {
    if (!has(name)) continue;
    changes.set(name, null);
    if (!IN_ADDRESS.has(name)) dropped.push(name);
  }
  for (const [name, json] of Object.entries(shape.sets)) changes.set(name, json);
  for (const [header, member] of Object.entries(shape.headerLists)) {
    const values = [clientHeaders[header] ?? []].flat().flatMap((text) => text.split(','));
    const words = values.map((value) => value.trim()).filter((value) => value !== '');
    if (words.length > 0) changes.set(member, JSON.stringify(words));
  }
  for (const [header, only] of Object.entries(shape.impliedHeaders))
    if (clientHeaders[header] !== undefined && clientHeaders[header] !== only) dropped.push(header);
  return { changes, dropped };
}
