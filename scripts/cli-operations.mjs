// The API operations that the command line offers, from the same OpenAPI document that the server answers with.
import { buildOpenApiDocument } from '../packages/server/src/http/openapi.ts';
import { defineApiOperations } from '../packages/server/src/management/api-operations.ts';

/** Operations only keep their parts until they are performed, and nothing is performed here. */
const nothing = new Proxy(() => nothing, { get: () => nothing, apply: () => nothing });

/** JSON text: subject -> action -> operation. One operation per line, so that a change is one line of a diff. */
export function cliOperations() {
  const document = buildOpenApiDocument(defineApiOperations(nothing), '');
  const subjects = new Map();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      const [subject, ...rest] = operation.operationId.split('.').map(kebabCase);
      if (!subjects.has(subject)) subjects.set(subject, new Map());
      subjects.get(subject).set(rest.join('-'), operationOf(method, path, operation, document));
    }
  for (const of of subjects.values()) removeReadOnlyFields(of);
  const shown = [...subjects].sort(byName).map(([subject, of]) => {
    const lines = [...of]
      .sort(byName)
      .map(([action, operation]) => `    ${JSON.stringify(action)}: ${JSON.stringify(operation)}`);
    return `  ${JSON.stringify(subject)}: {\n${lines.join(',\n')}\n  }`;
  });
  return `{\n${shown.join(',\n')}\n}\n`;
}

const byName = ([one], [other]) => (one < other ? -1 : 1);
const kebabCase = (name) => name.replaceAll('_', '-');

/** A replacement accepts all that GET returns. A field that neither a creation nor a change takes is read-only. */
function removeReadOnlyFields(of) {
  const [create, update, replace] = ['create', 'update', 'replace'].map((action) => of.get(action)?.takes);
  if (create === undefined || update === undefined || replace === undefined) return;
  for (const name of Object.keys(replace)) if (!(name in create) && !(name in update)) delete replace[name];
}

function operationOf(method, path, { summary, parameters, requestBody, responses }, document) {
  const query = parameters.filter((parameter) => parameter.in === 'query');
  const schema = requestBody?.content['application/json']?.schema;
  const body = schema === undefined ? [] : fieldsOf(resolved(schema, document), document);
  // What stands in the path is given by position.
  const takes = new Map(body.filter(([name]) => !path.includes(`{${name}}`)));
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

/** The members of an object that can be written; of a choice of objects those of each, required where all require them. */
function fieldsOf(schema, document) {
  const choices = (schema.oneOf ?? schema.anyOf ?? schema.allOf)?.map((choice) => resolved(choice, document));
  if (choices === undefined)
    return Object.entries(schema.properties ?? {})
      .filter(([, property]) => property.readOnly !== true)
      .map(([name, property]) => [
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
  const branches = branchesOf(given, document);
  const real = branches.filter(({ type }) => type !== 'null');
  const words = real.flatMap((branch) => branch.enum ?? branch.items?.enum ?? [null]);
  const described = [given, ...real].find(({ description }) => typeof description === 'string');
  return {
    kind: kindOf(real, document),
    ...(words.length > 0 && !words.includes(null) && { choices: [...new Set(words)] }),
    ...(real.length < branches.length && { nullable: true }),
    ...(described && { does: described.description }),
  };
}

/** The alternatives of a schema, each of one type. */
function branchesOf(given, document) {
  const schema = resolved(given, document);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return choices.flatMap((choice) => branchesOf(choice, document));
  return Array.isArray(schema.type) ? schema.type.map((type) => ({ ...schema, type })) : [schema];
}

function kindOf(branches, document) {
  const kinds = new Set(branches.map((branch) => kindOfBranch(branch, document)));
  if (kinds.size === 1) return [...kinds][0];
  // A list is also accepted where the schema takes one name or several.
  if (kinds.has('entries')) return 'entries';
  if (kinds.has('texts')) return kinds.size === 2 && kinds.has('text') ? 'texts' : 'entries';
  return kinds.has('text') ? 'text_or_json' : 'json';
}

function kindOfBranch({ type, items, enum: words }, document) {
  if (words !== undefined || type === 'string') return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'boolean') return 'flag';
  if (type !== 'array') return 'json';
  const entries = branchesOf(items ?? {}, document);
  if (!entries.some((entry) => entry.type === 'string')) return 'json';
  return entries.length === 1 ? 'texts' : 'entries';
}

function resolved(schema, document) {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  return name === undefined ? schema : { ...document.components.schemas[name], ...schema };
}
