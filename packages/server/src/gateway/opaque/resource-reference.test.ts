import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRequestPath } from './request-path.ts';
import { parseResourcePath } from './resource-reference.ts';

const parse = (method: string, path: string) => parseResourcePath(method, parseRequestPath(path).segments);

test('endpoints that store nothing have no collection', () => {
  for (const path of [
    'messages',
    'messages/count_tokens',
    'completions',
    'embeddings',
    'moderations',
    'rerank',
    'ocr',
    'images/edits',
    'audio/transcriptions',
    'responses/compact',
    'fim/completions',
    'agents/completions',
    'deployments/gpt-5/embeddings',
    'models/gemini-2.5-pro:streamGenerateContent',
    'model/anthropic.claude/converse-stream',
    'Messages',
    '%6dessages',
  ])
    assert.deepEqual([parse('POST', path).collection, parse('POST', path).id], [null, null], path);
});

test('every other path belongs to a collection, and the id below it needs an owner', () => {
  for (const [path, collection, id] of [
    ['files/file-1/content', 'files', 'file-1'],
    ['new_things/n%20%311/x', 'new_things', 'n 11'],
    ['batch/jobs/j-1', 'batch/jobs', 'j-1'],
    ['audio/voices', 'audio/voices', null],
    ['agents/ag-1', 'agents', 'ag-1'],
    ['agents/sessions/s-1/events', 'agents/sessions', 's-1'],
    ['agents/environments/templates/t-1', 'agents/environments/templates', 't-1'],
    ['threads/runs', 'threads', null],
    ['threads/t-1/runs', 'threads', 't-1'],
    ['deployments/dep-1/pause', 'deployments', 'dep-1'],
    ['chat/completions/c-1', 'chat/completions', 'c-1'],
    ['deployments/gpt-5/chat/completions', 'chat/completions', null],
    ['messages/msg-1', 'messages', 'msg-1'],
    ['responses/compact/x', 'responses', 'compact'],
    ['models/ft:1', 'models', 'ft:1'],
  ] as const) {
    const found = parse('POST', path);
    assert.deepEqual([found.collection, found.id], [collection, id], path);
  }
  assert.equal(parse('GET', 'messages').collection, 'messages');
});

test('the model of a path is known, and the id of a resource is no model', () => {
  for (const [path, model] of [
    ['deployments/gpt-5/chat/completions', 'gpt-5'],
    ['models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
    ['models/llama3:8b', 'llama3:8b'],
    ['model/claude/invoke', 'claude'],
    ['deployments/dep-1', null],
    ['files/file-1', null],
  ] as const)
    assert.equal(parse('POST', path).model, model, path);
});
