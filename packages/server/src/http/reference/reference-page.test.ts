import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { buildBeatOpenApiPaths } from '../beat-openapi.ts';
import { html } from '../boards/markup.ts';
import { runApi } from '../test/running-api.ts';
import { renderApiReferencePage } from './reference-page.ts';

const api = await runApi();
after(() => api.close());

test('the reference has every operation of the document and needs no key', async () => {
  const { status, headers, text } = await api.call('GET', '/api/reference');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  for (const { name, method, path, summary } of api.operations) {
    const [, article = ''] = text.split(`<article id="${name}">`);
    assert.ok(article.includes(`<strong class="${method}">${method}</strong> ${path}`), name);
    assert.ok(article.includes(html`${summary}`.text), name);
    assert.ok(article.includes('curl'), name);
    assert.ok(text.includes(`href="#${name}"`), name);
  }
  const beats = Object.values(buildBeatOpenApiPaths()).flatMap((operations) => Object.keys(operations));
  assert.equal(text.split('<article ').length - 1, api.operations.length + beats.length);
});

test('the reference has no script and no external resources, and its policy allows only its own style', async () => {
  const { headers, text } = await api.call('GET', '/api/reference');
  assert.doesNotMatch(text, /<(script|img|link|iframe|form)|\son\w+=|javascript:|\bstyle="/i);
  for (const [, url = ''] of text.matchAll(/\b(?:href|src)="([^"]*)"/g))
    assert.match(url, /^(#[\w.]+|openapi\.json)$/);
  const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(text) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  assert.ok(headers['content-security-policy']?.toString().includes(`style-src 'sha256-${hash}'`));
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; /);
});

test('the body examples are valid according to the document', async () => {
  const { text } = await api.call('GET', '/api/reference');
  const { key } = await api.addKey('acme');
  const unescaped = text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
  let tried = 0;
  for (const operation of api.operations) {
    if (!operation.body || operation.method !== 'POST' || operation.path.includes('{')) continue;
    const article = unescaped.split(`<article id="${operation.name}">`)[1]?.split('</article>')[0] ?? '';
    const body = /-d '(.*)'<\/pre>/.exec(article)?.[1] ?? '';
    const answer = await api.call('POST', operation.path, { key, raw: body });
    tried += 1;
    // What only the operation itself can know may still be wrong with an example, never its shape.
    assert.ok(answer.status < 500, `${operation.name} ${body}: ${answer.text}`);
    assert.doesNotMatch(
      answer.text,
      /is not a known field|Invalid input(?!.*received undefined)/,
      `${operation.name} ${body}`,
    );
  }
  assert.ok(tried > 5);
});

test('text of the document never becomes markup', () => {
  const nasty = '<script>alert(1)</script>"\'&';
  const operation = {
    operationId: nasty,
    summary: nasty,
    description: nasty,
    tags: [nasty],
    parameters: [{ name: nasty, in: 'query', required: true, description: nasty, schema: { const: nasty } }],
    responses: { 200: { description: nasty } },
  };
  const page = renderApiReferencePage({
    info: { title: nasty, version: nasty },
    paths: { [`/${nasty}`]: { get: operation } },
  });
  assert.doesNotMatch(page, /<script/);
  assert.match(page, /&lt;script&gt;/);
});
