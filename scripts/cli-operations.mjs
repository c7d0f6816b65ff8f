// The API's verbs as the command line offers them, from the same OpenAPI document that the server answers with.
import { openApiDocument } from '../packages/server/src/http/openapi.ts';
import { apiVerbs } from '../packages/server/src/management/api-verbs.ts';

/** Verbs only keep their parts until they are performed, and nothing is performed here. */
const nothing = new Proxy(() => nothing, { get: () => nothing, apply: () => nothing });

/** JSON text: subject -> verb -> operation. One operation per line, so that a change is one line of a diff. */
export function cliOperations() {
  const document = openApiDocument(apiVerbs(nothing), '');
  const subjects = new Map();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [subject, ...rest] = operation.operationId.split('.');
      if (!subjects.has(subject)) subjects.set(subject, []);
      subjects
        .get(subject)
        .push([rest.join('-').replaceAll('_', '-'), operationOf(method, path, operation, document)]);
    }
  const shown = [...subjects].sort(byName).map(([subject, of]) => {
    const lines = of
      .sort(byName)
      .map(([verb, operation]) => `    ${JSON.stringify(verb)}: ${JSON.stringify(operation)}`);
    return `  ${JSON.stringify(subject)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${shown.join(',\n')}\n}\n`;
}

const byName = ([one], [other]) => (one < other ? -1 : 1);

function operationOf(method, path, { summary, parameters, requestBody, responses }, document) {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const schema = requestBody?.content['application/json']?.schema;
  const body = schema === undefined ? [] : fieldsOf(resolved(schema, document), document);
  const takes = new Map(body);
  for (const { name, schema, required } of query)
    takes.set(name, { ...fieldOf(schema, document), ...(required && { required }), in: 'query' });
  return {
    method: method.toUpperCase(),
    path,
    does: summary,
    ...(schema !== undefined && { body: true }),
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') && { idempotent: true }),
    ...(isPage(responses, document) && { page: true }),
    takes: Object.fromEntries(takes),
  };
}

function isPage(responses, document) {
  const schema = responses[200]?.content?.['application/json']?.schema;
  return schema !== undefined && resolved(schema, document).properties?.next_cursor !== undefined;
}

/** The members of an object; of a choice of objects those of each, required where all require them. */
function fieldsOf(schema, document) {
  const choices = (schema.oneOf ?? schema.anyOf ?? schema.allOf)?.map((choice) => resolved(choice, document));
  if (choices === undefined)
    return Object.entries(schema.properties ?? {}).map(([name, property]) => [
      name,
      { ...fieldOf(property, document), ...(schema.required?.includes(name) && { required: true }) },
    ]);
  const fields = new Map();
  for (const choice of choices)
    for (const [name, field] of fieldsOf(choice, document)) {
      const always = choices.every(({ required }) => required?.includes(name));
      const { required: _, ...rest } = { ...fields.get(name), ...field };
      fields.set(name, { ...rest, ...(always && { required: true }) });
    }
  return [...fields];
}

/** How a value is written on the command line, and what may stand there. */
function fieldOf(given, document) {
  const schema = resolved(given, document);
  const choices = (schema.anyOf ?? schema.oneOf ?? []).map((choice) => resolved(choice, document));
  const real = choices.filter(({ type }) => type !== 'null');
  const nullable = real.length < choices.length;
  const one = real.length === 1 ? real[0] : schema;
  return {
    kind: real.length > 1 ? 'json' : kindOf(one, document),
    ...(Array.isArray(one.enum) && { choices: one.enum }),
    ...(nullable && { nullable }),
    ...(typeof given.description === 'string' && { does: given.description }),
  };
}

function kindOf({ type, items, enum: words }, document) {
  if (words !== undefined || type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'flag';
  if (type !== 'array') return 'json';
  const entry = resolved(items ?? {}, document);
  const choices = (entry.anyOf ?? entry.oneOf ?? [entry]).map((choice) => resolved(choice, document));
  if (!choices.some((choice) => choice.type === 'string')) return 'json';
  return choices.length === 1 ? 'texts' : 'entries';
}

function resolved(schema, document) {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  return name === undefined ? schema : { ...document.components.schemas[name], ...schema };
}
