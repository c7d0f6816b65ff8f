import { isJsonObject, type Json, type JsonObject } from '@floe/contract/json';
import { type HtmlValue, html, Markup } from '../boards/markup.ts';
import { API_REFERENCE_STYLESHEET } from './reference-stylesheet.ts';
import {
  buildSchemaExample,
  formatSchemaType,
  listSchemaFieldRows,
  type SchemaFieldRow,
} from './schema-text.ts';

interface DocumentedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly subject: string;
  readonly definition: JsonObject;
}

/** Renders the API reference as one HTML page from its OpenAPI document. */
export function renderApiReferencePage(document: JsonObject): string {
  const subjects = Map.groupBy(listOperations(document), ({ subject }) => subject);
  const info = isJsonObject(document['info']) ? document['info'] : {};
  const title = `${toText(info['title'])} API ${toText(info['version'])}`;
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${new Markup(API_REFERENCE_STYLESHEET)}</style></head>
<body><div class="page">
<nav aria-label="Operations">${[...subjects].map(([subject, operations]) => renderNavigation(subject, operations))}</nav>
<main><h1>${title}</h1>
<p>OpenAPI document for programs: <a href="openapi.json">openapi.json</a>. To run the examples in a shell, set these variables first:</p>
<pre>export FLOE_URL=${'https://floe.example.com'}
export FLOE_KEY=${'eis_…'}</pre>
<p>Errors have the form <code>${'{"error":{"message","type","param","code"},"request_id"}'}</code>; <code>param</code> names the invalid field. Lists have the form <code>${'{"data":[…],"next_cursor"}'}</code>; to get the next page, send <code>next_cursor</code> as <code>cursor</code>.</p>
${[...subjects].map(([subject, operations]) => html`<section><h2 id="${subject}">${subject}</h2>${operations.map((one) => renderOperation(one, document))}</section>`)}
</main></div></body>
</html>
`.text;
}

function listOperations({ paths }: JsonObject): DocumentedOperation[] {
  return Object.entries(isJsonObject(paths) ? paths : {}).flatMap(([path, item]) =>
    Object.entries(isJsonObject(item) ? item : {}).flatMap(([method, about]) => {
      if (!isJsonObject(about)) return [];
      const [tag] = Array.isArray(about['tags']) ? about['tags'] : [];
      return [
        {
          id: toText(about['operationId']),
          method: method.toUpperCase(),
          path,
          subject: toText(tag).replaceAll('_', ' ') || 'other',
          definition: about,
        },
      ];
    }),
  );
}

function renderNavigation(subject: string, operations: readonly DocumentedOperation[]): Markup {
  const links = operations.map(
    ({ id, definition }) => html`<li><a href="#${id}">${toText(definition['summary'])}</a></li>`,
  );
  return html`<h2>${subject}</h2><ul>${links}</ul>`;
}

function renderOperation(operation: DocumentedOperation, root: JsonObject): Markup {
  const { id, method, path, definition } = operation;
  const parameters = Array.isArray(definition['parameters']) ? definition['parameters'] : [];
  const body = findContent(definition['requestBody']);
  const [status = '', answer] =
    Object.entries(isJsonObject(definition['responses']) ? definition['responses'] : {})[0] ?? [];
  const answered = findContent(answer);
  return html`<article id="${id}"><h3>${toText(definition['summary'])}</h3>
<p class="place"><code><strong class="${method}">${method}</strong> ${path}</code></p>
<p>${renderCodeMarks(toText(definition['description']))}</p>
${renderTable(
  'Parameters',
  parameters.filter(isJsonObject).map((one) => describeParameter(one, root)),
)}
${body && renderTable('Body', listSchemaFieldRows(body.schema, root))}
<h4>Example</h4><pre>${formatCurl(operation, parameters, body?.schema, root)}</pre>
${answered && html`<details><summary>Response ${status}, ${answered.type}</summary>${renderTable(null, listSchemaFieldRows(answered.schema, root))}</details>`}
</article>`;
}

function describeParameter(parameter: JsonObject, root: JsonObject): SchemaFieldRow {
  const { name, schema, required, description } = parameter;
  const own = isJsonObject(schema) ? schema['description'] : undefined;
  const where = parameter['in'] === 'query' ? '' : ` (${toText(parameter['in'])})`;
  return {
    name: `${toText(name)}${where}`,
    type: formatSchemaType(schema, root),
    required: required === true,
    description: toText(description) || toText(own),
  };
}

function renderTable(title: string | null, fields: readonly SchemaFieldRow[]): Markup | null {
  if (fields.length === 0) return null;
  const rows = fields.map(
    ({ name, type, required, description }) =>
      html`<tr><td><code>${name}</code>${required ? ' *' : ''}</td><td>${type}</td><td>${renderCodeMarks(description)}</td></tr>`,
  );
  return html`${title && html`<h4>${title}</h4>`}<div class="wide"><table><thead><tr><th scope="col">Name</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

/** Renders code spans. Descriptions use no other Markdown. */
function renderCodeMarks(words: string): HtmlValue {
  return words.split('`').map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part));
}

function findContent(
  holder: Json | undefined,
): { readonly type: string; readonly schema: Json | undefined } | null {
  const content = isJsonObject(holder) && isJsonObject(holder['content']) ? holder['content'] : {};
  const [type, media] = Object.entries(content)[0] ?? [];
  return type === undefined ? null : { type, schema: isJsonObject(media) ? media['schema'] : undefined };
}

function formatCurl(
  { method, path }: DocumentedOperation,
  parameters: readonly Json[],
  body: Json | undefined,
  root: JsonObject,
): string {
  const query = parameters
    .filter(isJsonObject)
    .filter((one) => one['in'] === 'query' && one['required'] === true)
    .map(
      (one) =>
        `${toText(one['name'])}=${encodeURIComponent(toText(buildSchemaExample(one['schema'], root)))}`,
    );
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => name.toUpperCase());
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$FLOE_URL${place}${query.length > 0 ? '?' : ''}${query.join('&')}"`,
  ];
  lines.push(`  -H "Authorization: Bearer $FLOE_KEY"`);
  if (body !== undefined) {
    lines.push(`  -H 'Content-Type: application/json'`);
    lines.push(`  -d '${JSON.stringify(buildSchemaExample(body, root)).replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(' \\\n');
}

function toText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : JSON.stringify(value);
}
