// Features of requests, each with the text that a request with the feature contains. For tests of
// translation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '@floe/contract/json';
import { asArray, asObject, asString, tryParseJson } from '@floe/wire/json-narrowing';

/** The dialects that clients use. */
export type FeatureDialect = 'chat' | 'responses' | 'messages';

/** One feature of a request. */
export interface RequestFeature {
  readonly client: FeatureDialect;
  readonly name: string;
  /** A whole request that uses only this feature. Its model is `m`. */
  readonly body: JsonObject;
  /** A request with the feature contains one of these strings. */
  readonly marks: readonly string[];
  /** Matches the name of the dropped field. `never` if the feature must be translated or rejected. */
  readonly lost: RegExp;
}

/** Reads a file with one feature per line. Each client dialect has a file. */
function loadFeatures(client: FeatureDialect): RequestFeature[] {
  const text = readFileSync(new URL(`../features/${client}.ndjson`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const feature = tryParseJson(line);
      assert.ok(isJsonObject(feature), line);
      const marks = asArray(feature['marks']).flatMap((mark) => asString(mark) ?? []);
      assert.ok(marks.length > 0, line);
      const body = { model: 'm', ...asObject(feature['body']) };
      const lost = new RegExp(asString(feature['lost']) ?? assert.fail(line));
      return { client, name: asString(feature['name']) ?? '', body, marks, lost };
    });
}

/** The features of all client dialects. */
export const REQUEST_FEATURES: readonly RequestFeature[] = [
  ...loadFeatures('chat'),
  ...loadFeatures('responses'),
  ...loadFeatures('messages'),
];
