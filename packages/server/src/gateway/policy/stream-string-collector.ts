import { decodeBase64Text, isBase64Blob } from '@floe/conditions/detect/base64-blobs';
import { Fault } from '@floe/contract/faults';
import { isJsonObject, type Json } from '@floe/contract/json';
import { findDuplicateMemberName, parseJsonWithDuplicateMembers } from '@floe/wire/duplicate-member-names';
import { tryParseJson } from '@floe/wire/json-narrowing';
import { JsonSyntaxError } from '@floe/wire/json-syntax-error';
import type { RequestEcho } from '../../guardrails/policies/request-echo.ts';

/**
 * A function that receives text to scan: a complete string, or the newest piece of a longer string with the
 * text before it.
 */
export type TextScanner = (text: string) => void;

/**
 * Number of characters before the newest piece that are scanned together with it. Longer values are detected
 * at the end.
 */
const MATCH_TAIL_CHARS = 1024;
/** Minimum length of a finding. */
const MIN_FINDING_CHARS = 6;
/** The smallest number with 13 digits. Shorter numbers cannot be a finding, as in complete responses. */
const MIN_NUMBER = 1e12;
/** Members whose strings are pieces of one text. */
const PIECES = new Set(['delta', 'choices']);
/** Members within `choices` that repeat earlier pieces. */
const REPETITIONS = new Set(['message', 'logprobs']);
/** Members that events repeat. */
const LABELS = new Set(['id', 'type', 'role', 'name', 'call_id', 'item_id', 'status', 'finish_reason']);
/** Members that identify the part of the response that an event belongs to. */
const POSITIONS = ['type', 'item_id', 'output_index', 'content_index', 'summary_index', 'index'];

/** In Messages, the start of a block contains the first piece of the text that its deltas continue. */
const BLOCK_START = 'content_block_start';
const BLOCK_DELTA = 'content_block_delta';

interface Pieces {
  /** Joined once at the end. */
  readonly all: string[];
  tail: string;
}

/**
 * Collects every string in the events of a stream, including strings in members that no dialect defines. Joins pieces
 * at the same position, so that a value is found even if the provider splits it.
 */
export class StreamStringCollector {
  readonly #scan: TextScanner | null;
  readonly #pieces = new Map<string, Pieces>();
  readonly #complete = new Set<string>();

  readonly #echo: RequestEcho | null;

  /**
   * @param scan null if nothing is scanned before the end
   * @param echo finds the parts of events that repeat the request, which are not collected
   */
  constructor(scan: TextScanner | null, echo: RequestEcho | null = null) {
    this.#scan = scan;
    this.#echo = echo;
  }

  add(data: string): void {
    const event = parseEvent(data);
    if (!isJsonObject(event)) return;
    const isBlockStart = event['type'] === BLOCK_START;
    const place = isBlockStart ? { ...event, type: BLOCK_DELTA } : event;
    const position = POSITIONS.map((name) => JSON.stringify(place[name]) ?? '').join();
    for (const [given, whole] of Object.entries(event)) {
      const isResponse = given === 'response' && this.#echo !== null && isJsonObject(whole);
      const value = isResponse ? this.#echo?.remove(whole) : whole;
      const name = isBlockStart && given === 'content_block' ? 'delta' : given;
      this.#visit(value, { path: `${position}.${name}`, name, isPiece: PIECES.has(name) });
    }
  }

  /** Returns all strings without repetitions, and without base64 data that contains no text. */
  texts(): readonly string[] {
    const joined = [...this.#pieces.values()].map(({ all }) => all.join(''));
    return [...new Set([...joined.filter((text) => !isBlobWithoutText(text)), ...this.#complete])];
  }

  #visit(value: Json | undefined, at: Place): void {
    if (typeof value === 'string') this.#text(value, at);
    else if (typeof value === 'number') {
      if (Math.abs(value) >= MIN_NUMBER) this.#addComplete(String(value));
    } else if (Array.isArray(value))
      for (const [place, entry] of value.entries()) {
        const index = (isJsonObject(entry) ? entry['index'] : undefined) ?? place;
        this.#visit(entry, { ...at, path: `${at.path}[${JSON.stringify(index)}]` });
      }
    else if (isJsonObject(value))
      for (const [name, entry] of Object.entries(value)) {
        const isPiece = !REPETITIONS.has(name) && (at.isPiece || PIECES.has(name));
        this.#visit(entry, { path: `${at.path}.${name}`, name, isPiece });
      }
  }

  #text(text: string, { path, name, isPiece }: Place): void {
    if (!isPiece || LABELS.has(name)) return this.#addComplete(text);
    const known = this.#pieces.get(path) ?? { all: [], tail: '' };
    this.#pieces.set(path, known);
    known.all.push(text);
    if (this.#scan === null) return;
    const recent = known.tail + text;
    known.tail = recent.slice(-MATCH_TAIL_CHARS);
    // A piece of a key can look like base64 data, so the text before it counts as well.
    if (!isBase64Blob(recent)) this.#scan(recent);
  }

  #addComplete(text: string): void {
    if (text.length < MIN_FINDING_CHARS || this.#complete.has(text) || isBlobWithoutText(text)) return;
    this.#complete.add(text);
    this.#scan?.(decodeBase64Text(text)?.text ?? text);
  }
}

function isBlobWithoutText(text: string): boolean {
  return isBase64Blob(text) && decodeBase64Text(text) === null;
}

/**
 * Parses an event. Includes members that a repeated name hides, because some clients read the first one.
 * @throws Fault `upstream_error` if the event is nested too deeply
 */
function parseEvent(data: string): Json | undefined {
  const event = tryParseJson(data);
  if (!isJsonObject(event)) return undefined;
  const bytes = Buffer.from(data);
  try {
    return findDuplicateMemberName(bytes) === null ? event : parseJsonWithDuplicateMembers(bytes);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new Fault(
      'upstream_error',
      `The provider sent an invalid stream event: ${error.message}. Send the request again.`,
    );
  }
}

interface Place {
  readonly path: string;
  /** The name of the closest member. */
  readonly name: string;
  readonly isPiece: boolean;
}
