// What clients can say in a request, one feature each, with the mark it leaves where it is carried. For tests of translation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '@floe/contract/json';
import { asArray, asObject, asString, tryParseJson } from '@floe/wire/json-narrowing';

export type FeatureDialect = 'chat' | 'responses' | 'messages';

export interface RequestFeature {
  readonly client: FeatureDialect;
  readonly name: string;
  /** The whole request, which says nothing else; its model is `m`. */
  readonly body: JsonObject;
  /** Any of these stands in a request that carries the feature. */
  readonly marks: readonly string[];
  /** What its loss is called; `never` for what must be carried or refused. */
  readonly lost: RegExp;
}

/** One feature a line, in a file for each dialect clients speak. */
function loadFeatures(client: FeatureDialect): RequestFeature[] {
  const text = readFileSync(new URL(`../features/${client}.ndjson`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const feature = tryParseJson(line);
      assert.ok(isObject(feature), line);
      const marks = asArray(feature['marks']).flatMap((mark) => asString(mark) ?? []);
      assert.ok(marks.length > 0, line);
      const body = { model: 'm', ...asObject(feature['body']) };
      const lost = new RegExp(asString(feature['lost']) ?? assert.fail(line));
      return { client, name: asString(feature['name']) ?? '', body, marks, lost };
    });
}

export const REQUEST_FEATURES: readonly RequestFeature[] = [
  ...loadFeatures('chat'),
  ...loadFeatures('responses'),
  ...loadFeatures('messages'),
];
