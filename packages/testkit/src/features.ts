// What clients can say in a request, one feature each, with the mark it leaves where it is carried. For tests of translation.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '@floe/contract/json';
import { listOf, objectOf, parseJson, textOf } from '@floe/wire/json-read';

export type FeatureClient = 'chat' | 'responses' | 'messages';

export interface Feature {
  readonly client: FeatureClient;
  readonly name: string;
  /** The whole request, which says nothing else; its model is `m`. */
  readonly body: JsonObject;
  /** Any of these stands in a request that carries the feature. */
  readonly marks: readonly string[];
  /** What its loss is called; `never` for what must be carried or refused. */
  readonly lost: RegExp;
}

/** One feature a line, in a file for each dialect clients speak. */
function featuresOf(client: FeatureClient): Feature[] {
  const text = readFileSync(new URL(`../features/${client}.ndjson`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const feature = parseJson(line);
      assert.ok(isObject(feature), line);
      const marks = listOf(feature['marks']).flatMap((mark) => textOf(mark) ?? []);
      assert.ok(marks.length > 0, line);
      const body = { model: 'm', ...objectOf(feature['body']) };
      const lost = new RegExp(textOf(feature['lost']) ?? assert.fail(line));
      return { client, name: textOf(feature['name']) ?? '', body, marks, lost };
    });
}

export const FEATURES: readonly Feature[] = [
  ...featuresOf('chat'),
  ...featuresOf('responses'),
  ...featuresOf('messages'),
];
