import { countFindingsInText, type JsonScanResult } from './redact.ts';
import type { ScanMeter } from './scan-meter.ts';
import { type FindingKind, type SecretDetector, SensitiveDataScan } from './sensitive-data-scan.ts';

/**
 * The paths of all strings with findings of one kind, and the detectors that found them. Does not contain the
 * values that were found.
 */
export interface FindingKindLocations {
  /** Paths of the strings, such as `messages[0].content`, in the order of the text. */
  readonly paths: readonly string[];
  /** The detectors that found secrets. Empty for other kinds. */
  readonly detectors: readonly SecretDetector[];
}

/** The locations of findings, by kind. */
export type FindingLocationsByKind = ReadonlyMap<FindingKind, FindingKindLocations>;

const MAX_DEPTH = 64;
/** Names of API members have this form. Any other name could be a value of the caller and is not reported. */
const MEMBER_NAME = /^[a-z_]{1,32}$/;

/**
 * Returns the locations of the findings that `countFindingsInJson` counts. Parses the text, so call this
 * function only if there are findings.
 * @param json well-formed JSON
 * @param scan The result of `scanJson` for the same text and kinds. With it, only strings with secrets are
 * scanned again. Without it, all strings are scanned again.
 * @throws ScanLimitExceededError if there is a meter with a limit
 * @example
 * locateFindings('{"to":["ana@example.com"]}', new Set(['email'])).get('email')?.paths; // ['to[0]']
 */
export function locateFindings(
  json: string,
  wanted: ReadonlySet<FindingKind>,
  scan?: JsonScanResult,
  meter?: ScanMeter,
): FindingLocationsByKind {
  const places: MutableLocations = new Map();
  const known = scan?.stringsWithFindings;
  const add = (text: string, path: string, kinds: Iterable<FindingKind>) => {
    for (const kind of kinds) addPlace(places, kind, path, kind === 'secret' ? detectorsIn(text, meter) : []);
  };
  const visit = (value: unknown, path: string, depth: number): void => {
    if (typeof value === 'string' && known) return add(value, path, known.get(value) ?? []);
    if (typeof value === 'string' || typeof value === 'number')
      return add(String(value), path, kindsIn(String(value), wanted, meter));
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
    const isList = Array.isArray(value);
    for (const [name, entry] of Object.entries(value)) visit(entry, joinPath(path, name, isList), depth + 1);
  };
  visit(JSON.parse(json), '', 0);
  return new Map(
    [...places].map(([kind, { paths, detectors }]) => [
      kind,
      { paths: [...paths], detectors: [...detectors] },
    ]),
  );
}

function joinPath(path: string, name: string, isList: boolean): string {
  if (isList) return `${path}[${name}]`;
  const shown = MEMBER_NAME.test(name) ? name : '*';
  return path === '' ? shown : `${path}.${shown}`;
}

type MutableLocations = Map<FindingKind, { paths: Set<string>; detectors: Set<SecretDetector> }>;

/** No text with fewer characters has a finding. */
const MIN_FINDING_CHARS = 6;

function kindsIn(
  text: string,
  wanted: ReadonlySet<FindingKind>,
  meter: ScanMeter | undefined,
): Iterable<FindingKind> {
  return text.length < MIN_FINDING_CHARS ? [] : countFindingsInText(text, wanted, meter).keys();
}

function detectorsIn(text: string, meter: ScanMeter | undefined): readonly SecretDetector[] {
  const { findings } = new SensitiveDataScan(text, new Set(['secret']), meter);
  return findings.flatMap(({ detector }) => (detector === undefined ? [] : [detector]));
}

function addPlace(
  places: MutableLocations,
  kind: FindingKind,
  path: string,
  detectors: readonly SecretDetector[],
): void {
  const place = places.get(kind) ?? { paths: new Set(), detectors: new Set() };
  places.set(kind, place);
  place.paths.add(path);
  for (const detector of detectors) place.detectors.add(detector);
}
