import { countFindingsInText } from './redact.ts';
import { type FindingKind, type SecretDetector, SensitiveDataScan } from './sensitive-data-scan.ts';

/**
 * Where the findings of one kind are, and which detectors found them. Does not contain the values.
 */
export interface FindingLocation {
  /** Paths of the strings, such as `messages[0].content`, in the order of the text. */
  readonly paths: readonly string[];
  /** The detectors, for secrets only. */
  readonly detectors: readonly SecretDetector[];
}

/** The locations of findings, by kind. */
export type FindingLocations = ReadonlyMap<FindingKind, FindingLocation>;

const MAX_DEPTH = 64;
/** Names of API members have this form. Any other name could be a value of the caller and is not reported. */
const MEMBER_NAME = /^[a-z_]{1,32}$/;

/**
 * Finds the strings in which `countFindingsInJson` finds something. Scans the text again, so call it only if
 * there are findings.
 * @param json well-formed JSON
 * @example
 * locateFindings('{"to":["ana@example.com"]}', new Set(['email'])).get('email')?.paths; // ['to[0]']
 */
export function locateFindings(json: string, wanted: ReadonlySet<FindingKind>): FindingLocations {
  const places = new Map<FindingKind, { paths: string[]; detectors: SecretDetector[] }>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string' || typeof value === 'number')
      return addPlaces(places, String(value), path, wanted);
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    const isList = Array.isArray(value);
    for (const [name, entry] of Object.entries(value)) visit(entry, joinPath(path, name, isList), depth + 1);
  };
  visit(JSON.parse(json), '', 0);
  return places;
}

function joinPath(path: string, name: string, isList: boolean): string {
  if (isList) return `${path}[${name}]`;
  const shown = MEMBER_NAME.test(name) ? name : '*';
  return path === '' ? shown : `${path}.${shown}`;
}

function addPlaces(
  places: Map<FindingKind, { paths: string[]; detectors: SecretDetector[] }>,
  text: string,
  path: string,
  wanted: ReadonlySet<FindingKind>,
): void {
  // Shorter than any finding.
  if (text.length < 6) return;
  const kinds = countFindingsInText(text, wanted).keys();
  for (const kind of kinds) {
    const place = places.get(kind) ?? { paths: [], detectors: [] };
    places.set(kind, place);
    if (!place.paths.includes(path)) place.paths.push(path);
    if (kind !== 'secret') continue;
    for (const { detector } of new SensitiveDataScan(text, new Set([kind])).findings)
      if (detector !== undefined && !place.detectors.includes(detector)) place.detectors.push(detector);
  }
}
