import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatMinutes, parseMinutes } from './minutes.ts';

test('durations are parsed from the usual notations, and formatted so that they parse back', () => {
  for (const [text, minutes] of [
    ['90m', 90],
    ['1.5 h', 90],
    ['1,5h', 90],
    ['1d', 1440],
    ['2 weeks', 20_160],
    ['30 s', 0.5],
    ['15', 15],
    ['2 h 30 min', 150],
    ['1d1m', 1441],
  ] as const)
    assert.equal(parseMinutes(text), minutes, text);
  for (const text of ['', 'soon', '-5', '5 parsecs', '1h30', '30 min 2 h', '1 h 1 h'])
    assert.equal(parseMinutes(text), null, text);
  for (const minutes of [
    0.0166, 0.5, 1, 1.5, 5, 59, 60, 90, 119.99, 120, 120.5, 150, 1440, 1441, 1500, 2880, 2881, 4320,
    10_110.25,
  ])
    assert.equal(parseMinutes(formatMinutes(minutes)), minutes, formatMinutes(minutes));
});
