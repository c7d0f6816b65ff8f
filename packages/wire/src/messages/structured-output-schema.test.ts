import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toStructuredOutputSchema } from './structured-output-schema.ts';

test('a schema is brought into the subset, and each lost keyword is told', () => {
  const lost: string[] = [];
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      pattern: { type: 'string', pattern: '^a', format: 'date', minLength: 1 },
      list: {
        type: 'array',
        minItems: 2,
        items: { oneOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] },
      },
      kind: { enum: ['minimum'], default: { maximum: 1 } },
    },
    required: ['pattern'],
    additionalProperties: true,
  };
  assert.deepEqual(
    JSON.parse(JSON.stringify(toStructuredOutputSchema(schema, (keyword) => lost.push(keyword)))),
    {
      type: 'object',
      properties: {
        pattern: { type: 'string', format: 'date' },
        list: { type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'null' }] } },
        kind: { enum: ['minimum'], default: { maximum: 1 } },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
  );
  assert.deepEqual(lost, ['pattern', 'minLength', 'minItems', 'minimum', 'additionalProperties']);
});
