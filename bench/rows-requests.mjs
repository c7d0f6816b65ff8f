// Every request that reads through the API, from the OpenAPI document of the running server, for bench/rows.mjs. A new
// operation or parameter is included automatically; a parameter without values in `VALUES` gets a value that no row has.
const DAY_MS = 86_400_000;

/** Values of text parameters by name: the most frequent, a rare one and one that no row has. */
const VALUES = {
  key: ['name 0', 'name rare', 'key_none'],
  model: ['model-0', 'model-rare', 'none'],
  model_requested: ['route-0', 'model-rare', 'none'],
  provider: ['provider-0', 'provider-rare', 'none'],
  status: ['200', '5xx', '418', '!2xx', '3xx', 'failing', 'missed'],
  status_class: ['2xx', '4xx', 'none'],
  state: ['complete', 'aborted', 'failed', 'none'],
  outcome: ['succeeded', 'aborted', 'client_error'],
  route_mode: ['unified', 'ide', 'none'],
  surface: ['chat', 'none'],
  error_code: ['upstream_error', 'none', '*'],
  error_source: ['upstream', 'none'],
  finish_reason: ['stop', 'none'],
  cache: ['hit', 'none'],
  team: ['team-0', 'none'],
  owner: ['person-0@example.com', 'person-58@example.com', 'none@example.com'],
  end_user: ['user-7@example.com', 'none'],
  client: ['claude-code', 'none'],
  session: ['ses-7', 'none'],
  usage_source: ['provider', 'none'],
  agent: ['claude-code', 'none'],
  repository: ['git.example.com/team/repository-0', 'git.example.com/team/repository-199', 'none'],
  rule: ['rule-0', 'rule-rare', 'none'],
  q: ['commit', 'nothing of this kind'],
  search: ['job-99', 'nothing of this kind'],
  tag: ['team-a', 'none'],
  channel: ['channel-0', 'none'],
  subject: ['job-1', 'monitor job-5', 'route rare', 'none'],
  actor: ['key_1', 'key_rare', 'none'],
  action: ['keys.create', 'routes.update', 'none'],
  kind: ['keys', 'routes', 'none'],
  type: ['tool_result', 'session_start', 'none'],
  event: ['monitor_failing', 'monitor_recovered', 'none'],
  breaker: ['brk_0', 'none'],
  by: [],
  field: [],
  group_by: [],
  timezone: ['Asia/Kolkata'],
  email: ['person-0@example.com'],
  cursor: [],
};
const FACETS = [
  ...[
    'provider',
    'model',
    'key',
    'status_class',
    'surface',
    'outcome',
    'model_requested',
    'route_mode',
    'state',
  ],
  ...['error_code', 'cache', 'team', 'owner', 'metadata.project'],
];
for (const name of ['by', 'field', 'group_by']) VALUES[name] = FACETS;
/** Parameters that the document does not list, because their names are the callers'. */
const METADATA = {
  'metadata.project': ['project-0', 'project-rare', 'none'],
  'metadata.build': ['5', 'none'],
};
const BOUNDS = ['>=1', '>=10000000'];
/** Paths that do not read rows: they redirect, or they never end. */
const SKIPPED = /^\/api\/(session\/oidc|me\/identities|events)|^\/relay\//;

/**
 * Returns all requests: `{operation, path, query}`, the query as a list of pairs. Includes each value alone, and one of `every`
 * pairs of parameters.
 */
export async function listRequests(document, ask, { days, endMs, every }) {
  const found = [];
  for (const [template, methods] of Object.entries(document.paths)) {
    const operation = methods.get;
    if (!operation || SKIPPED.test(template)) continue;
    const path = await resolvePath(template, ask);
    if (path === null) continue;
    const parameters = (operation.parameters ?? [])
      .filter((one) => one.in === 'query')
      .map((one) => ({
        name: one.name,
        isRequired: one.required === true,
        values: valuesOf(one, { days, endMs }),
      }));
    if (parameters.some(({ name }) => name === 'end_user'))
      for (const [name, values] of Object.entries(METADATA))
        parameters.push({ name, isRequired: false, values });
    const own = operation.operationId ?? template;
    for (const query of [
      ...listSingles(parameters),
      ...listPairs(parameters).filter((_, at) => at % every === 0),
    ])
      found.push({ operation: own, path, query });
  }
  return found;
}

/** The ranges of an operation: none, some days, and everything. */
function rangesOf(parameters) {
  return [
    [],
    ...(parameters.find(({ name }) => name === 'from')?.values ?? []).map((from) => [['from', from]]),
  ];
}

/** A query with the required parameters, a range and some other values. */
function toQuery(parameters, range, pairs) {
  const required = parameters.filter(
    ({ name, isRequired }) => isRequired && !pairs.some(([own]) => own === name),
  );
  return [...required.map(({ name, values }) => [name, values[0]]), ...range, ...pairs];
}

function listSingles(parameters) {
  const ranges = rangesOf(parameters);
  // A list without a range reads everything; a chart reads a day.
  const used = isChart(parameters) ? ranges : [[]];
  const others = parameters.filter(({ name }) => !['from', 'live'].includes(name));
  return [
    ...ranges.map((range) => toQuery(parameters, range, [])),
    ...others.flatMap(({ name, values }) =>
      values.flatMap((value) => used.map((range) => toQuery(parameters, range, [[name, value]]))),
    ),
  ];
}

/** Each pair of parameters, with the value of each that the fewest rows have. */
function listPairs(parameters) {
  const range = isChart(parameters) ? rangesOf(parameters).at(-1) : [];
  const others = parameters.filter(
    ({ name, values }) => !['from', 'live'].includes(name) && values.length > 0,
  );
  return others.flatMap((one, at) =>
    others.slice(at + 1).map((other) =>
      toQuery(
        parameters,
        range,
        [one, other].map(({ name, values }) => [name, values.at(-1)]),
      ),
    ),
  );
}

function isChart(parameters) {
  return parameters.some(({ name }) => name === 'timezone');
}

function valuesOf({ name, schema }, { days, endMs }) {
  const iso = (ms) => new Date(ms).toISOString();
  if (name === 'from') return [iso(endMs - 10 * DAY_MS + 1_234_567), iso(endMs - days * DAY_MS + 1_234_567)];
  if (name === 'to') return [iso(endMs - DAY_MS - 7_654_321)];
  if (name === 'limit') return [String(maximumOf(schema) ?? 500)];
  const listed = enumOf(schema);
  if (listed.length > 0) return listed;
  if (isBounds(schema)) return BOUNDS;
  return VALUES[name] ?? ['none'];
}

const branches = (schema) => [
  schema,
  ...(schema.anyOf ?? []),
  ...(schema.oneOf ?? []),
  ...(schema.allOf ?? []),
];
const maximumOf = (schema) => branches(schema).find(({ maximum }) => maximum !== undefined)?.maximum;
const enumOf = (schema) =>
  branches(schema).flatMap((one) => one.enum ?? (one.type === 'boolean' ? ['true', 'false'] : []));
const isBounds = (schema) => branches(schema).some(({ pattern }) => pattern?.includes('>=') === true);

/** Fills path parameters with the first entry of the list at the path before them. Null if that list is empty. */
async function resolvePath(template, ask) {
  const at = template.indexOf('/{');
  if (at === -1) return template;
  const [, name, rest] = /^\/\{(\w+)\}(.*)$/.exec(template.slice(at));
  if (name === 'month') return template.replace('{month}', new Date().toISOString().slice(0, 7));
  const parent = template.slice(0, at);
  const { body } = await ask('GET', parent.endsWith('/monitors') ? `${parent}?search=job-1` : parent);
  const entries = body.data ?? [];
  const entry = entries.find(({ id }) => id === 'job-1') ?? entries[0];
  const id = entry?.id ?? entry?.slug ?? entry?.name;
  return id === undefined ? null : resolvePath(`${parent}/${encodeURIComponent(id)}${rest}`, ask);
}
